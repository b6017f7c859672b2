// Numbers for people: as src/format/text.cc writes them, so that the page and the terminal say the same.

const units: readonly [ns: number, name: string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
];

/** 1.23 s, 45.6 ms, 789 µs, 12 ns. */
export function duration(ns: number): string {
  const sign = ns < 0 ? "-" : "";
  const size = Math.abs(ns);
  for (const [unit, name] of units) {
    const value = size / unit;
    if (value >= 100) return `${sign}${count(value)} ${name}`;
    if (value >= 1) return `${sign}${Number(value.toPrecision(3))} ${name}`;
  }
  return `${sign}${Math.round(size)} ns`;
}

/** 12.3 %. What is there but would be rounded to nothing is "< 0.1 %". */
export function share(part: number, whole: number): string {
  if (whole <= 0) return "0 %";
  const percent = (part / whole) * 100;
  if (percent === 0) return "0 %";
  if (Math.abs(percent) < 0.1) return percent < 0 ? "> -0.1 %" : "< 0.1 %";
  return `${percent.toFixed(1)} %`;
}

/** +1.2 %, -0.3 %: how much larger `after` is, both of them shares of 1. */
export function shareDelta(delta: number): string {
  const percent = (delta * 100).toFixed(1);
  if (Number(percent) === 0) return delta === 0 ? "0 %" : delta > 0 ? "< +0.1 %" : "> -0.1 %";
  return `${delta > 0 ? "+" : ""}${percent} %`;
}

/** 1,234,567. */
export function count(value: number): string {
  const digits = String(Math.round(Math.abs(value)));
  return (value < 0 && digits !== "0" ? "-" : "") + digits.replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** A value of a CallTree in its unit: a duration, or "1,234 samples". */
export function value(amount: number, unit: "nanoseconds" | "samples"): string {
  if (unit === "nanoseconds") return duration(amount);
  const text = count(amount);
  return `${text} ${text === "1" ? "sample" : "samples"}`;
}

/** 1.2 MB. */
export function bytes(size: number): string {
  if (size < 1000) return `${Math.round(size)} B`;
  const names = ["kB", "MB", "GB", "TB"];
  const power = Math.min(Math.floor(Math.log10(size) / 3), names.length);
  return `${Number((size / 1000 ** power).toPrecision(3))} ${names[power - 1]}`;
}
