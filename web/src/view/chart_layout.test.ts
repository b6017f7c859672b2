import { expect, test } from "vitest";
import type { Chart, ChartThread, Row } from "../model/chart";
import { axisHeight, axisTicks, bandHeight, callTop, layOutChart, nameHeight, placeAt } from "./chart_layout";

const row: Row = { count: 0, start: new Float64Array(0), end: new Float64Array(0), what: new Uint32Array(0) };
const thread = (number: number, depth: number): ChartThread => ({ thread: number, band: row, rows: Array(depth).fill(row) });
const chart = (...threads: ChartThread[]): Chart => ({ threads, from: 0, to: 100 });
const layout = layOutChart(chart(thread(0, 9), thread(1, 9), thread(2, 9)), chart(thread(0, 2), thread(2, 1)), new Set());

test("threads stand below each other, as high as the calls that are shown", () => {
  expect(layout.lanes.map((lane) => lane.calls?.rows.length ?? 0)).toEqual([2, 0, 1]);
  expect(layout.lanes[0].top).toBe(axisHeight);
  expect(layout.lanes[1].top).toBeGreaterThan(layout.lanes[0].top + layout.lanes[0].height);
});

test("what is at a height", () => {
  const [first, , third] = layout.lanes;
  expect(placeAt(layout, first.top - 1)).toBe(null);
  expect(placeAt(layout, first.top + 1)).toEqual({ lane: first, depth: -2 });
  expect(placeAt(layout, first.top + nameHeight + 1)).toEqual({ lane: first, depth: -1 });
  expect(placeAt(layout, callTop(first, 1) + 1)).toEqual({ lane: first, depth: 1 });
  expect(placeAt(layout, first.top + first.height + 1)).toBe(null);
  expect(placeAt(layout, third.top + nameHeight + bandHeight + 1)).toEqual({ lane: third, depth: 0 });
  expect(placeAt(layout, 1e9)).toBe(null);
});

test("deep calls are folded, unless asked for or there is but one thread", () => {
  const deep = chart(thread(0, 40), thread(1, 3));
  expect(layOutChart(deep, deep, new Set()).lanes.map(({ rows, folded }) => [rows, folded])).toEqual([[10, 30], [3, 0]]);
  expect(layOutChart(deep, deep, new Set([0])).lanes[0].folded).toBe(0);
  const alone = chart(thread(0, 40));
  expect(layOutChart(alone, alone, new Set()).lanes[0].folded).toBe(0);
});

test("times on the axis are round and apart", () => {
  expect(axisTicks(0, 1000, 900)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000]);
  expect(axisTicks(130, 131, 200).length).toBeGreaterThan(1);
  expect(axisTicks(5, 5, 100)).toEqual([]);
});
