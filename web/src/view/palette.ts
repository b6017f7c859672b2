// The colours of the canvas. What a function is decides its hue, from a set that people with any kind of colour blindness
// can tell apart; its name decides a little of the lightness, so that neighbours differ. The ink on every fill has a
// contrast of at least 4.5 to 1: palette.test.ts computes it.

import { Origin, type OriginNumber } from "../model/selection";

export type ThemeName = "light" | "dark";

export const kinds = ["own", "library", "standardLibrary", "native", "kernel", "marker", "neutral"] as const;
export type Kind = (typeof kinds)[number];

export const kindNames: Readonly<Record<Kind, string>> = {
  own: "own code",
  library: "library",
  standardLibrary: "standard library",
  native: "native",
  kernel: "kernel",
  marker: "marker",
  neutral: "thread, process",
};

type Hsl = readonly [hue: number, saturation: number, lightness: number];

// Hues after Okabe and Ito: orange, sky blue, bluish green, reddish purple; vermilion and yellow are kept for what is loud.
const light: Readonly<Record<Kind, Hsl>> = {
  own: [38, 95, 64],
  library: [203, 76, 70],
  standardLibrary: [162, 42, 66],
  native: [322, 48, 76],
  kernel: [225, 24, 74],
  marker: [50, 20, 78],
  neutral: [220, 10, 82],
};

const dark: Readonly<Record<Kind, Hsl>> = {
  own: [36, 80, 56],
  library: [203, 62, 62],
  standardLibrary: [162, 38, 54],
  native: [322, 42, 68],
  kernel: [225, 24, 66],
  marker: [50, 16, 62],
  neutral: [220, 9, 60],
};

export const tints = 5;
const tintStep = 2.2; // percent of lightness

export interface Theme {
  readonly fills: readonly string[]; // kind * tints + tint
  readonly ink: string; // of labels on fills
  readonly faded: string; // the fill of what a search does not match
  readonly fadedInk: string;
  readonly background: string;
  readonly line: string; // between boxes
  readonly outline: string; // of the selected box
  readonly hover: string;
  readonly text: string;
  readonly quiet: string;
  readonly gil: string;
  readonly gc: string;
  readonly bands: Readonly<Record<Band, string>>;
  readonly grid: string;
  readonly range: string; // over what is outside of the selected time
}

export const bandKinds = ["holdsGil", "onCpu", "ready", "waitsForGil", "inGc", "idle"] as const;
export type Band = (typeof bandKinds)[number];

export const bandNames: Readonly<Record<Band, string>> = {
  holdsGil: "holds the GIL",
  onCpu: "on CPU without the GIL",
  ready: "waits for a CPU",
  waitsForGil: "waits for the GIL",
  inGc: "collects garbage",
  idle: "idle",
};

export const themes: Readonly<Record<ThemeName, Theme>> = {
  light: {
    fills: fillsOf(light),
    ink: "#1b1d22",
    faded: "#e9ebee",
    fadedInk: "#5a606b",
    background: "#ffffff",
    line: "#ffffff",
    outline: "#0b57d0",
    hover: "rgba(0,0,0,0.14)",
    text: "#1b1d22",
    quiet: "#5a606b",
    gil: "#c24a00",
    gc: "#6b3fa0",
    bands: { holdsGil: "#0b7a5a", onCpu: "#56b4e9", ready: "#e0a800", waitsForGil: "#d55e00", inGc: "#6b3fa0", idle: "#d9dce1" },
    grid: "#e3e5ea",
    range: "rgba(120,126,140,0.28)",
  },
  dark: {
    fills: fillsOf(dark),
    ink: "#101216",
    faded: "#2b2f37",
    fadedInk: "#a3a9b5",
    background: "#15171c",
    line: "#15171c",
    outline: "#ffffff",
    hover: "rgba(255,255,255,0.22)",
    text: "#e8eaee",
    quiet: "#a3a9b5",
    gil: "#ff7a33",
    gc: "#b58ae6",
    bands: { holdsGil: "#2fb48a", onCpu: "#56b4e9", ready: "#f2c94c", waitsForGil: "#ff7a33", inGc: "#b58ae6", idle: "#3a3f49" },
    grid: "#2b2f37",
    range: "rgba(10,11,14,0.5)",
  },
};

function fillsOf(colours: Readonly<Record<Kind, Hsl>>): string[] {
  return kinds.flatMap((kind) =>
    Array.from({ length: tints }, (_, tint) => {
      const [hue, saturation, lightness] = colours[kind];
      return hex(hue, saturation, lightness + (tint - (tints - 1) / 2) * tintStep);
    }),
  );
}

export function hex(hue: number, saturation: number, lightness: number): string {
  const s = saturation / 100;
  const l = lightness / 100;
  const channel = (n: number) => {
    const k = (n + hue / 30) % 12;
    const value = l - s * Math.min(l, 1 - l) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(value * 255).toString(16).padStart(2, "0");
  };
  return `#${channel(0)}${channel(8)}${channel(4)}`;
}

const kindOfOrigin: Readonly<Record<OriginNumber, Kind>> = {
  [Origin.own]: "own",
  [Origin.library]: "library",
  [Origin.standardLibrary]: "standardLibrary",
  [Origin.marker]: "marker",
  [Origin.native]: "native",
  [Origin.kernel]: "kernel",
};

export function kindOf(origin: number): Kind {
  return kindOfOrigin[origin as OriginNumber] ?? "neutral";
}

/** The fill of a function by its origin and name. */
export function fillOf(origin: number, name: string): number {
  return kinds.indexOf(kindOf(origin)) * tints + (hash(name) % tints);
}

export const neutralFill = kinds.indexOf("neutral") * tints + 2;

function hash(text: string): number {
  let value = 2166136261;
  const end = Math.min(text.length, 256);
  for (let i = 0; i < end; i++) value = Math.imul(value ^ text.charCodeAt(i), 16777619);
  return value >>> 8;
}

// A difference: blue for less, orange for more, which nobody confuses, by steps of the square root of the change.
export const diffSteps = 8;

export interface DiffTheme {
  readonly fills: readonly string[]; // -diffSteps ... diffSteps
}

export const diffThemes: Readonly<Record<ThemeName, DiffTheme>> = {
  light: { fills: diffFills([205, 82], [33, 96], 90, 62) },
  dark: { fills: diffFills([205, 70], [33, 86], 60, 58) },
};

function diffFills(less: readonly [number, number], more: readonly [number, number], neutral: number, strongest: number): string[] {
  const fills: string[] = [];
  for (let step = -diffSteps; step <= diffSteps; step++) {
    const strength = Math.abs(step) / diffSteps;
    const [hue, saturation] = step < 0 ? less : more;
    fills.push(hex(hue, saturation * strength, neutral + (strongest - neutral) * strength));
  }
  return fills;
}

/** Which of the fills for a change, as a share of everything. */
export function diffFill(change: number): number {
  const strength = Math.min(1, Math.sqrt(Math.abs(change) / 0.1));
  const step = change === 0 ? 0 : Math.max(1, Math.round(strength * diffSteps));
  return diffSteps + Math.sign(change) * step;
}

/** Contrast of two colours written #rrggbb, as WCAG 2 computes it: 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark, bright] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
