import { describe, expect, it } from "vitest";
import { type Recording, State } from "../recording/recording";
import { recordingOf } from "../recording/test_builder";
import { Band, bandOf, boxAt, chartOf, type Row, visitRow } from "./chart";
import { everything, Origin, type Selection } from "./selection";

function rowsOf(recording: Recording, selection: Partial<Selection> = {}): string[][] {
  const chart = chartOf(recording, { ...everything, ...selection });
  const { functions, strings } = recording;
  const box = (row: Row, i: number) => `${strings[functions.name[row.what[i]]]} ${row.start[i]}-${row.end[i]}`;
  return chart.threads.flatMap(({ rows }) => rows.map((row) => Array.from({ length: row.count }, (_, i) => box(row, i))));
}

const onCpu = { weight: 10, ticks: 1 };

describe("a chart", () => {
  const recording = recordingOf([
    ["main:1 a", { ...onCpu, time: 0 }],
    ["main:2 a", { ...onCpu, time: 10 }],
    ["main:2 b c", { ...onCpu, time: 20 }],
    ["main:2 b", { ...onCpu, time: 35 }], // less than a tick later: it went on
    ["main:2 b", { ...onCpu, time: 100 }],
  ]);

  it("merges calls that go on, over lines and short gaps", () => {
    expect(rowsOf(recording)).toEqual([
      ["main 0-45", "main 100-110"],
      ["a 0-20", "b 20-45", "b 100-110"],
      ["c 20-35"],
    ]);
  });

  it("leaves out hidden frames, threads that are not selected and samples of other modes", () => {
    const lib = recordingOf([["main lib_x f", onCpu], ["main lib_y f", onCpu]]);
    expect(rowsOf(lib, { hidden: [Origin.library] })).toEqual([["main 0-20"], ["f 0-20"]]);
    expect(rowsOf(recording, { threads: [1] })).toEqual([]);
    expect(rowsOf(recordingOf([["a", { state: 0 }], ["b", {}]]), { mode: "cpu" })).toEqual([["b 1-2"]]);
  });

  it("puts samples one after the other where nobody knows when they were", () => {
    const untimed = recordingOf([["a", { weight: 0, ticks: 2, time: 0 }], ["b", { weight: 0, ticks: 1, time: 0 }]]);
    expect(rowsOf(untimed)).toEqual([["a 0-2000000", "b 2000000-3000000"]]);
  });

  it("has a band of states", () => {
    const states = recordingOf([["a", { ...onCpu, state: 0 }], ["b", { ...onCpu, state: 0 }], ["b", onCpu]]);
    const { band } = chartOf(states, everything).threads[0];
    expect([[...band.start], [...band.end], [...band.what]]).toEqual([[0, 20], [20, 30], [Band.idle, Band.onCpuWithGil]]);
    expect(bandOf(State.onCpu, "wall")).toBe(Band.onCpu);
    expect(bandOf(State.waitsForGil, "wall")).toBe(Band.waitsForGil);
    expect(bandOf(State.onCpu | State.holdsGil | State.ready, "wall")).toBe(Band.ready);
    expect(bandOf(State.onCpu | State.holdsGil | State.inGc, "wall")).toBe(Band.collects);
    expect(bandOf(State.onCpu, "unknown")).toBe(Band.unknown);
  });
});

describe("a row", () => {
  // Boxes of one nanosecond at every second one, and a wide one from 1000 to 1500.
  const starts = Float64Array.from({ length: 500 }, (_, i) => 2 * i);
  const row: Row = {
    count: 501,
    start: Float64Array.from([...starts, 1000]),
    end: Float64Array.from([...starts.map((start) => start + 1), 1500]),
    what: new Uint32Array(501),
  };
  const visited = (from: number, to: number, width: number) => {
    const boxes: [number, number, number][] = [];
    visitRow(row, from, to, width, (start, end, _, count) => boxes.push([start, end, count]));
    return boxes;
  };

  it("shows each box where there is room", () => {
    expect(visited(3, 7, 0.5)).toEqual([[4, 5, 1], [6, 7, 1]]);
    expect(visited(2.5, 4.5, 0.5)).toEqual([[2, 3, 1], [4, 5, 1]]);
  });

  it("shows narrow ones together, and loses none", () => {
    const boxes = visited(0, 2000, 100);
    expect(boxes.length).toBeLessThanOrEqual(12);
    expect(boxes.reduce((sum, [, , count]) => sum + count, 0)).toBe(501);
    expect(boxes[boxes.length - 1]).toEqual([1000, 1500, 1]);
  });

  it("tells the box at a time", () => {
    expect([boxAt(row, 4.5), boxAt(row, 5.5), boxAt(row, 1200), boxAt(row, 1500), boxAt(row, -1)]).toEqual([2, -1, 500, -1, -1]);
  });
});
