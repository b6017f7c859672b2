// Where the threads of a Chart stand, one below the other: a line with the name, the band of states, the calls. Deep calls
// are folded where there are several threads, so that one deep stack does not push the others out of sight.

import type { Chart, ChartThread } from "../model/chart";

export interface Lane {
  readonly thread: ChartThread; // with the band of all states
  readonly calls: ChartThread | null; // with the calls in the mode that was chosen; null: none
  readonly rows: number; // of calls that are shown
  readonly folded: number; // rows below them that are not
  readonly top: number;
  readonly height: number;
}

export interface ChartLayout {
  readonly lanes: readonly Lane[];
  readonly height: number;
}

export interface ChartPlace {
  readonly lane: Lane;
  readonly depth: number; // -1: the band, -2: the name
}

export const axisHeight = 24; // stays at the top of the view
export const nameHeight = 18;
export const bandHeight = 8;
export const callHeight = 17;
const laneGap = 10;
const rowsUnlessUnfolded = 10;

/** `unfolded`: the threads of which all rows are shown. */
export function layOutChart(bands: Chart, calls: Chart, unfolded: ReadonlySet<number>): ChartLayout {
  const callsOf = new Map(calls.threads.map((thread) => [thread.thread, thread]));
  const lanes: Lane[] = [];
  let top = axisHeight;
  for (const thread of bands.threads) {
    const its = callsOf.get(thread.thread) ?? null;
    const all = its?.rows.length ?? 0;
    const rows = bands.threads.length === 1 || unfolded.has(thread.thread) ? all : Math.min(all, rowsUnlessUnfolded);
    const height = nameHeight + bandHeight + rows * callHeight;
    lanes.push({ thread, calls: its, rows, folded: all - rows, top, height });
    top += height + laneGap;
  }
  return { lanes, height: top };
}

export function callTop(lane: Lane, depth: number): number {
  return lane.top + nameHeight + bandHeight + depth * callHeight;
}

/** What stands at this height of the whole chart. */
export function placeAt(layout: ChartLayout, y: number): ChartPlace | null {
  let low = 0;
  let high = layout.lanes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (layout.lanes[middle].top + layout.lanes[middle].height > y) high = middle;
    else low = middle + 1;
  }
  const lane = layout.lanes[low];
  if (lane === undefined || y < lane.top) return null;
  if (y < lane.top + nameHeight) return { lane, depth: -2 };
  const below = y - lane.top - nameHeight - bandHeight;
  return { lane, depth: below < 0 ? -1 : Math.floor(below / callHeight) };
}

/** Times for the axis: round numbers, not closer than so many pixels. */
export function axisTicks(from: number, to: number, width: number, apart = 90): number[] {
  const least = ((to - from) * apart) / Math.max(1, width);
  if (!(least > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(least));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= least)!;
  const ticks: number[] = [];
  for (let i = Math.ceil(from / step); i * step <= to && ticks.length < 1000; i++) ticks.push(i * step);
  return ticks;
}
