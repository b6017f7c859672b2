// Chart: what each thread did when. For each thread rows of boxes, one row for each depth, and a band of states. Boxes of
// a row are in the order of time and do not overlap, so that a part of a row is found by bisection and drawn at a cost
// that depends on its pixels, not on its samples.
import { type Recording, State } from "../recording/recording";
import { samplesByThread } from "./roots";
import type { Selection } from "./selection";
import { StackWalk } from "./stack_walk";
import { timelineOf } from "./timeline";
import { SampleWeigher } from "./weights";

const leastBoxes = 8;

/** What a thread was doing, besides what its stack says. */
export const Band = { idle: 0, onCpu: 1, onCpuWithGil: 2, waitsForGil: 3, collects: 4, unknown: 5, ready: 6 } as const;
export type BandNumber = (typeof Band)[keyof typeof Band];

export interface Row {
  readonly count: number;
  readonly start: Float64Array; // nanoseconds since the start of the recording
  readonly end: Float64Array;
  readonly what: Uint32Array; // a function; in a band a BandNumber
}

export interface ChartThread {
  readonly thread: number;
  readonly rows: readonly Row[]; // by depth, the outermost call first
  readonly band: Row;
}

export interface Chart {
  readonly threads: readonly ChartThread[]; // those that have samples, in the order of the recording
  readonly from: number;
  readonly to: number;
}

/** The threads, mode and hidden frames are those of the selection; its time is not: the chart is where one chooses it. */
export function chartOf(recording: Recording, selection: Selection): Chart {
  const weigher = new SampleWeigher(recording, { ...selection, time: null });
  const depths = shownDepths(recording, new StackWalk(recording, { ...selection, focus: null }));
  const threads: ChartThread[] = [];
  let to = recording.durationNs;
  samplesByThread(recording).forEach((all, thread) => {
    const samples = all.filter((sample) => weigher.weight(sample) > 0);
    if (samples.length === 0) return;
    const rows = rowsOf(recording, depths, samples);
    threads.push({ thread, ...rows });
    to = Math.max(to, rows.band.end[rows.band.count - 1]);
  });
  return { threads, from: 0, to };
}

export function bandOf(state: number, mode: Recording["mode"]): BandNumber {
  if (mode === "unknown") return Band.unknown;
  if ((state & State.inGc) !== 0) return Band.collects;
  if ((state & State.waitsForGil) !== 0) return Band.waitsForGil;
  if ((state & State.ready) !== 0) return Band.ready;
  if ((state & State.holdsGil) !== 0) return Band.onCpuWithGil;
  return (state & State.onCpu) !== 0 ? Band.onCpu : Band.idle;
}

class RowBuilder {
  private count = 0;
  private start = new Float64Array(leastBoxes);
  private end = new Float64Array(leastBoxes);
  private what = new Uint32Array(leastBoxes);

  /** Goes on with the last box if it is the same and touches this one. */
  add(start: number, end: number, what: number): void {
    const last = this.count - 1;
    const goesOn = last >= 0 && this.what[last] === what && this.end[last] === start;
    if (!goesOn) this.open(start, what);
    this.close(end);
  }

  open(start: number, what: number): void {
    if (this.count === this.start.length) this.grow();
    this.start[this.count] = start;
    this.what[this.count++] = what;
  }

  close(end: number): void {
    this.end[this.count - 1] = end;
  }

  get row(): Row {
    const { count } = this;
    return {
      count,
      start: this.start.subarray(0, count),
      end: this.end.subarray(0, count),
      what: this.what.subarray(0, count),
    };
  }

  private grow(): void {
    const capacity = this.count * 2;
    const { start, end, what } = this;
    (this.start = new Float64Array(capacity)).set(start);
    (this.end = new Float64Array(capacity)).set(end);
    (this.what = new Uint32Array(capacity)).set(what);
  }
}

function rowsOf(recording: Recording, depths: Uint32Array, samples: Uint32Array): { rows: Row[]; band: Row } {
  const { sample, start, end } = timelineOf(recording, samples);
  const band = new RowBuilder();
  const maxDepth = samples.reduce((most, i) => Math.max(most, depths[recording.samples.stack[i]]), 0);
  const boxes = new BoxBuilder(recording, depths, maxDepth);
  for (let i = 0; i < sample.length; ++i) {
    if (end[i] <= start[i]) continue;
    band.add(start[i], end[i], bandOf(recording.samples.state[sample[i]], recording.mode));
    boxes.add(start[i], end[i], recording.samples.stack[sample[i]]);
  }
  boxes.finish();
  return { rows: boxes.rows.map((builder) => builder.row), band: band.row };
}

// Keeps the calls open that go on from one stretch of time to the next. From one stack to the next only what is below
// their common part is looked at.
class BoxBuilder {
  readonly rows: RowBuilder[] = [];
  private readonly open: Uint32Array; // the functions whose boxes are open
  private readonly next: Uint32Array;
  private openCount = 0;
  private openUntil = 0;
  private openStack = 0;

  /** `depths` says how many frames of each stack are shown. */
  constructor(
    private readonly recording: Recording,
    private readonly depths: Uint32Array,
    maxDepth: number,
  ) {
    this.open = new Uint32Array(maxDepth);
    this.next = new Uint32Array(maxDepth);
  }

  add(start: number, end: number, stack: number): void {
    const goesOn = this.openUntil === start;
    if (!goesOn) this.closeFrom(0);
    if (!goesOn || stack !== this.openStack) this.goTo(stack, start);
    this.openUntil = end;
  }

  finish(): void {
    this.closeFrom(0);
  }

  private goTo(stack: number, start: number): void {
    const common = this.openCount === 0 ? 0 : this.commonPart(stack, this.openStack);
    this.takeFunctions(stack, common);
    const count = this.depths[stack];
    let same = this.depths[common];
    // A caller that went on to another line is another stack, and the same call.
    while (same < count && same < this.openCount && this.next[same] === this.open[same]) ++same;
    this.closeFrom(same);
    for (let depth = same; depth < count; ++depth) {
      this.open[depth] = this.next[depth];
      this.row(depth).open(start, this.next[depth]);
    }
    this.openCount = count;
    this.openStack = stack;
  }

  // A parent's number is smaller than its children's: the larger one of two cannot be above the other.
  private commonPart(a: number, b: number): number {
    const { parent } = this.recording.stacks;
    while (a !== b) {
      if (a > b) a = parent[a];
      else b = parent[b];
    }
    return a;
  }

  // What is shown of a stack below `above`, in `next`, each at its depth.
  private takeFunctions(stack: number, above: number): void {
    const { stacks, frames } = this.recording;
    for (let at = stack; at !== above; at = stacks.parent[at]) {
      const isShown = this.depths[at] > this.depths[stacks.parent[at]];
      if (isShown) this.next[this.depths[at] - 1] = frames.function[stacks.frame[at]];
    }
  }

  private closeFrom(depth: number): void {
    for (let at = depth; at < this.openCount; ++at) this.rows[at].close(this.openUntil);
    this.openCount = Math.min(this.openCount, depth);
  }

  private row(depth: number): RowBuilder {
    if (depth === this.rows.length) this.rows.push(new RowBuilder());
    return this.rows[depth];
  }
}

function shownDepths({ stacks }: Recording, walk: StackWalk): Uint32Array {
  const depths = new Uint32Array(stacks.count);
  for (let stack = 1; stack < stacks.count; ++stack) {
    depths[stack] = depths[stacks.parent[stack]] + (walk.isHidden(stacks.frame[stack]) ? 0 : 1);
  }
  return depths;
}

/** `boxes` is 1, or how many narrow ones stand between start and end: `what` is then that of the first one. */
export type VisitBoxes = (start: number, end: number, what: number, boxes: number) => void;

/**
 * Visits what of a row is between `from` and `to`. Boxes narrower than `minWidthNs` (a pixel) are visited together, as
 * many as begin within that width; so the cost is that of the pixels, however many boxes there are.
 */
export function visitRow(row: Row, from: number, to: number, minWidthNs: number, visit: VisitBoxes): void {
  let box = firstAbove(row.end, row.count, from, 0);
  while (box < row.count && row.start[box] < to) {
    let next = box + 1;
    if (row.end[box] - row.start[box] < minWidthNs) {
      next = firstAtLeast(row.start, row.count, row.start[box] + minWidthNs, box + 1);
      const last = next - 1; // only this one can reach beyond, and be wide
      if (last > box && row.end[last] - row.start[last] >= minWidthNs) next = last;
    }
    visit(row.start[box], row.end[next - 1], row.what[box], next - box);
    box = next;
  }
}

/** The box at this time, or -1. */
export function boxAt(row: Row, time: number): number {
  const box = firstAbove(row.end, row.count, time, 0);
  return box < row.count && row.start[box] <= time ? box : -1;
}

function firstAbove(values: Float64Array, count: number, limit: number, from: number): number {
  return bisect(count, from, (i) => values[i] > limit);
}

function firstAtLeast(values: Float64Array, count: number, limit: number, from: number): number {
  // Most often it is near: doubling steps find it without going through all of the row.
  let step = 1;
  while (from + step < count && values[from + step] < limit) step *= 2;
  return bisect(Math.min(from + step, count), from + (step >> 1), (i) => values[i] >= limit);
}

function bisect(count: number, from: number, holds: (i: number) => boolean): number {
  let low = from;
  let high = count;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
