// ViewState: all that a person has chosen on the page of a profile. It is the part of the URL behind the #, in words that
// can be read and changed by hand; what is as it is by default is not written. Pure: the page's URL is not touched here.

import { Origin, everything, type Mode, type OriginNumber, type Selection } from "../model/selection";

export const views = ["flame", "icicle", "chart", "sandwich", "top", "source", "tree"] as const;
export type View = (typeof views)[number];

export const sortColumns = ["self", "total", "gc", "gil", "name", "before", "after", "difference"] as const;
export type SortColumn = (typeof sortColumns)[number];

export const sides = ["before", "difference", "after"] as const;
export type Side = (typeof sides)[number];

/** A step from a node to one below it: a function and perhaps its line, or the text of a thread or process. */
export type Step = { readonly function: number; readonly line: number } | { readonly label: string };
export type Path = readonly Step[];

export interface ViewState {
  readonly view: View;
  readonly selection: Selection;
  readonly search: string;
  readonly zoom: Path; // the node that is as wide as the page; empty: the root
  readonly range: readonly [number, number] | null; // the part of it that is seen, as shares of its width
  readonly selected: Path | null; // empty: the root
  readonly function: number | null; // the one of the sandwich
  readonly file: number | null; // of the source view: the string of its path
  readonly line: number; // of the source view; 0: none
  readonly sort: SortColumn;
  readonly ascending: boolean;
  readonly chart: readonly [number, number] | null; // the time that the chart shows, in nanoseconds
  readonly side: Side; // of a difference: what the widths show
  readonly absolute: boolean; // a difference is of times, not of shares
}

export const initial: ViewState = {
  view: "icicle",
  selection: everything,
  search: "",
  zoom: [],
  range: null,
  selected: null,
  function: null,
  file: null,
  line: 0,
  sort: "self",
  ascending: false,
  chart: null,
  side: "difference",
  absolute: false,
};

// A URL may come from anywhere: what is longer than any use of it is left out.
const longestText = 2000;
const longestPath = 4096; // steps
const longestList = 65536;
const longKeys = ["zoom", "selected", "threads", "processes"];
const mostNumbers = 100_000; // of threads or processes

const originNames: ReadonlyArray<readonly [string, OriginNumber]> = [
  ["own", Origin.own],
  ["library", Origin.library],
  ["standard-library", Origin.standardLibrary],
  ["native", Origin.native],
  ["kernel", Origin.kernel],
];

export function formatHash(state: ViewState, start: ViewState = initial): string {
  const words: string[] = [];
  const put = (key: string, value: string, byDefault: string) => {
    if (value !== byDefault) words.push(`${key}=${escapeWord(value)}`);
  };
  const { selection } = state;
  const startSelection = start.selection;
  put("view", state.view, start.view);
  put("mode", selection.mode, startSelection.mode);
  put("search", state.search, "");
  put("threads", formatNumbers(selection.threads), "");
  put("processes", formatNumbers(selection.processes), "");
  put("time", formatRange(selection.time, 0), "");
  put("hide", formatOrigins(selection.hidden), "");
  put("by-thread", flag(selection.byThread), flag(false));
  put("by-line", flag(selection.byLine), flag(false));
  put("inverted", flag(selection.inverted), flag(false));
  put("focus", formatNumber(selection.focus), "");
  put("zoom", formatPath(state.zoom), "");
  put("range", formatRange(state.range, 6), "");
  put("selected", state.selected === null ? "" : formatPath(state.selected) || "root", "");
  put("function", formatNumber(state.function), "");
  put("file", formatNumber(state.file), "");
  put("line", String(state.line), "0");
  put("sort", state.sort + (state.ascending ? "-up" : ""), start.sort);
  put("chart", formatRange(state.chart, 0), "");
  put("side", state.side, "difference");
  put("absolute", flag(state.absolute), flag(false));
  return words.length === 0 ? "" : `#${words.join("&")}`;
}

export function parseHash(hash: string, start: ViewState = initial): ViewState {
  const words = new Map<string, string>();
  for (const word of hash.replace(/^#/, "").split("&", 64)) {
    const [key, value = ""] = splitAt(word, "=");
    words.set(key, unescapeWord(value).slice(0, longKeys.includes(key) ? longestList : longestText));
  }
  const text = (key: string) => words.get(key) ?? "";
  const sort = text("sort");
  return {
    view: oneOf(views, text("view")) ?? start.view,
    selection: {
      mode: oneOf<Mode>(["wall", "cpu", "gil", "ready"], text("mode")) ?? start.selection.mode,
      threads: parseNumbers(text("threads")),
      processes: parseNumbers(text("processes")),
      time: parseRange(text("time")),
      hidden: parseOrigins(text("hide")),
      byThread: text("by-thread") === "yes",
      byLine: text("by-line") === "yes",
      inverted: text("inverted") === "yes",
      focus: parseNumber(text("focus")),
    },
    search: text("search"),
    zoom: parsePath(text("zoom")) ?? [],
    range: parseRange(text("range"), 1),
    selected: text("selected") === "root" ? [] : parsePath(text("selected")),
    function: parseNumber(text("function")),
    file: parseNumber(text("file")),
    line: parseNumber(text("line")) ?? 0,
    sort: oneOf(sortColumns, sort.replace(/-up$/, "")) ?? start.sort,
    ascending: sort.endsWith("-up"),
    chart: parseRange(text("chart")),
    side: oneOf(sides, text("side")) ?? start.side,
    absolute: text("absolute") === "yes",
  };
}

const flag = (value: boolean) => (value ? "yes" : "no");

function oneOf<T extends string>(choices: readonly T[], text: string): T | null {
  return choices.find((choice) => choice === text) ?? null;
}

function splitAt(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

// Only what would end a word is escaped: the rest of the URL stays readable.
function escapeWord(text: string): string {
  return encodeURIComponent(text).replace(/%(2C|3A|2F|20|7E|7C|28|29)/g, (code) =>
    code === "%20" ? "+" : decodeURIComponent(code),
  );
}

function unescapeWord(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, " "));
  } catch {
    return "";
  }
}

const formatNumber = (value: number | null) => (value === null ? "" : String(value));

// 0-4,7: all but two of many threads are few words.
function formatNumbers(values: readonly number[] | null): string {
  if (values === null) return "";
  const runs: [number, number][] = [];
  for (const value of [...values].sort((a, b) => a - b)) {
    const last = runs[runs.length - 1];
    if (last !== undefined && value <= last[1] + 1) last[1] = value;
    else runs.push([value, value]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(",") || "none";
}

function parseNumber(text: string): number | null {
  return /^\d{1,15}$/.test(text) ? Number(text) : null;
}

function parseNumbers(text: string): readonly number[] | null {
  if (text === "none") return [];
  const numbers: number[] = [];
  for (const word of text.split(",", mostNumbers)) {
    const match = /^(\d{1,9})(?:-(\d{1,9}))?$/.exec(word);
    if (match === null) continue;
    const to = Number(match[2] ?? match[1]);
    for (let number = Number(match[1]); number <= to && numbers.length < mostNumbers; number++) numbers.push(number);
  }
  return numbers.length === 0 ? null : numbers;
}

function formatRange(range: readonly [number, number] | null, digits: number): string {
  return range === null ? "" : `${Number(range[0].toFixed(digits))},${Number(range[1].toFixed(digits))}`;
}

function parseRange(text: string, most = Number.MAX_SAFE_INTEGER): readonly [number, number] | null {
  if (!/^\d{1,16}(\.\d{1,9})?,\d{1,16}(\.\d{1,9})?$/.test(text)) return null;
  const [from, to] = text.split(",").map(Number);
  return from < to && to <= most ? [from, to] : null;
}

function formatOrigins(origins: readonly OriginNumber[]): string {
  return originNames.filter(([, origin]) => origins.includes(origin)).map(([name]) => name).join(",");
}

function parseOrigins(text: string): readonly OriginNumber[] {
  const names = text.split(",", originNames.length);
  return originNames.filter(([name]) => names.includes(name)).map(([, origin]) => origin);
}

// 12/45:7/~worker-1: function 12, in it function 45 at line 7, in it a thread. The text of a label has its own / escaped.
export function formatPath(path: Path): string {
  return path.map(formatStep).join("/");
}

function formatStep(step: Step): string {
  if ("label" in step) return `~${step.label.replace(/[%/]/g, encodeURIComponent)}`;
  return step.line === 0 ? String(step.function) : `${step.function}:${step.line}`;
}

export function parsePath(text: string): Path | null {
  if (text === "") return null;
  const path: Step[] = [];
  for (const word of text.split("/", longestPath)) {
    const step = parseStep(word);
    if (step === null) return null;
    path.push(step);
  }
  return path;
}

function parseStep(word: string): Step | null {
  if (word.startsWith("~")) return { label: unescapeLabel(word.slice(1)) };
  const match = /^(\d{1,10})(?::(\d{1,10}))?$/.exec(word);
  return match === null ? null : { function: Number(match[1]), line: Number(match[2] ?? 0) };
}

function unescapeLabel(text: string): string {
  return text.replace(/%2F/gi, "/").replace(/%25/g, "%");
}
