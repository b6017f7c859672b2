// Chart: what each thread did when. For each thread rows of boxes, one row for each depth, and a band of states. Boxes of
// a row are in the order of time and do not overlap, so that a part of a row is found by bisection and drawn at a cost
// that depends on its pixels, not on its samples.
import { Column, f64Column, u32Column, u8Column } from "../recording/column";
import { type Recording, State } from "../recording/recording";
import { samplesByThread } from "./roots";
import type { Selection } from "./selection";
import { StackWalk } from "./stack_walk";
import { timelineOf } from "./timeline";
import { SampleWeigher } from "./weights";

/** What a thread was doing, besides what its stack says. */
export const Band = { idle: 0, onCpu: 1, onCpuWithGil: 2, waitsForGil: 3, collects: 4, unknown: 5 } as const;
export type BandNumber = (typeof Band)[keyof typeof Band];

export interface Row {
  readonly count: number;
  readonly start: Float64Array; // nanoseconds since the start of the recording
  readonly end: Float64Array;
  readonly what: Uint32Array | Uint8Array; // a function; in a band a BandNumber
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
  const walk = new StackWalk(recording, { ...selection, focus: null });
  const threads: ChartThread[] = [];
  let to = recording.durationNs;
  samplesByThread(recording).forEach((all, thread) => {
    const samples = all.filter((sample) => weigher.weight(sample) > 0);
    if (samples.length === 0) return;
    const rows = rowsOf(recording, walk, samples);
    threads.push({ thread, ...rows });
    to = Math.max(to, rows.band.end[rows.band.count - 1]);
  });
  return { threads, from: 0, to };
}

export function bandOf(state: number, mode: Recording["mode"]): BandNumber {
  if (mode === "unknown") return Band.unknown;
  if ((state & State.inGc) !== 0) return Band.collects;
  if ((state & State.waitsForGil) !== 0) return Band.waitsForGil;
  if ((state & State.holdsGil) !== 0) return Band.onCpuWithGil;
  return (state & State.onCpu) !== 0 ? Band.onCpu : Band.idle;
}

class RowBuilder {
  private readonly start = f64Column();
  private readonly end = f64Column();
  private readonly what: Column<Uint32Array> | Column<Uint8Array>;

  constructor(isBand: boolean) {
    this.what = isBand ? u8Column() : u32Column();
  }

  /** Goes on with the last box if it is the same and touches this one. */
  add(start: number, end: number, what: number): void {
    const last = this.start.length - 1;
    if (last >= 0 && this.what.room[last] === what && this.end.room[last] === start) {
      this.end.room[last] = end;
      return;
    }
    this.open(start, what);
    this.end.room[last + 1] = end;
  }

  open(start: number, what: number): void {
    const row = this.start.length;
    for (const column of [this.start, this.end]) column.resize(row + 1);
    this.what.resize(row + 1);
    this.start.room[row] = start;
    this.what.room[row] = what;
  }

  close(end: number): void {
    this.end.room[this.start.length - 1] = end;
  }

  get row(): Row {
    return { count: this.start.length, start: this.start.view, end: this.end.view, what: this.what.view };
  }
}

function rowsOf(recording: Recording, walk: StackWalk, samples: Uint32Array): { rows: Row[]; band: Row } {
  const { sample, start, end } = timelineOf(recording, samples);
  const band = new RowBuilder(true);
  const boxes = new BoxBuilder(recording, walk);
  for (let i = 0; i < sample.length; ++i) {
    if (end[i] <= start[i]) continue;
    band.add(start[i], end[i], bandOf(recording.samples.state[sample[i]], recording.mode));
    boxes.add(start[i], end[i], recording.samples.stack[sample[i]]);
  }
  boxes.finish();
  return { rows: boxes.rows.map((builder) => builder.row), band: band.row };
}

// Keeps the calls open that go on from one stretch of time to the next.
class BoxBuilder {
  readonly rows: RowBuilder[] = [];
  private openFunctions = new Uint32Array(64);
  private openCount = 0;
  private openUntil = 0;
  private openStack = 0;
  private next = new Uint32Array(64);

  constructor(
    private readonly recording: Recording,
    private readonly walk: StackWalk,
  ) {}

  add(start: number, end: number, stack: number): void {
    const goesOn = this.openUntil === start;
    if (!goesOn || stack !== this.openStack) {
      const count = this.functionsOf(stack);
      let same = 0;
      if (goesOn) while (same < count && same < this.openCount && this.next[same] === this.openFunctions[same]) ++same;
      this.closeFrom(same);
      for (let depth = same; depth < count; ++depth) this.row(depth).open(start, this.next[depth]);
      [this.openFunctions, this.next] = [this.next, this.openFunctions];
      this.openCount = count;
      this.openStack = stack;
    }
    this.openUntil = end;
  }

  finish(): void {
    this.closeFrom(0);
  }

  private closeFrom(depth: number): void {
    for (let at = depth; at < this.openCount; ++at) this.rows[at].close(this.openUntil);
    this.openCount = Math.min(this.openCount, depth);
  }

  private row(depth: number): RowBuilder {
    if (depth === this.rows.length) this.rows.push(new RowBuilder(false));
    return this.rows[depth];
  }

  // The functions of a stack that are shown, the outermost first, in `next`. Gives their number.
  private functionsOf(stack: number): number {
    const { stacks, frames } = this.recording;
    let count = 0;
    for (let at = stack; at !== 0; at = stacks.parent[at]) {
      const frame = stacks.frame[at];
      if (this.walk.isHidden(frame)) continue;
      if (count === this.next.length) this.next = grown(this.next);
      this.next[count++] = frames.function[frame];
    }
    this.next.subarray(0, count).reverse();
    return count;
  }
}

function grown(values: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(values.length * 2);
  larger.set(values);
  return larger;
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
