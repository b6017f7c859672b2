import { describe, expect, it } from "vitest";
import { FrameKind, type Recording, State } from "../recording/recording";
import { FtapReader } from "../recording/ftap_reader";
import { RecordingBuilder, recordingOf } from "../recording/test_builder";
import { ftapBytes } from "../recording/test_recordings";
import { buildTree } from "./build_tree";
import type { CallTree } from "./call_tree";
import { everything, Origin, type Selection } from "./selection";
import { nodeName } from "./stack_text";

/** One line for each node: its depth as blanks, its name, self and total. */
function drawn(tree: CallTree, recording: Recording): string[] {
  const lines: string[] = [];
  for (let node = 1; node < tree.count; ++node) {
    const line = tree.line[node] > 0 ? `:${tree.line[node]}` : "";
    const name = nodeName(tree, recording, node) + line;
    lines.push(`${" ".repeat(tree.depth[node] - 1)}${name} ${tree.self[node]}/${tree.total[node]}`);
  }
  return lines;
}

function draw(recording: Recording, selection: Partial<Selection> = {}): string[] {
  return drawn(buildTree(recording, { ...everything, ...selection }), recording);
}

/** What must hold of every tree. */
function expectSound(tree: CallTree): void {
  for (let node = 1; node < tree.count; ++node) {
    const parent = tree.parent[node];
    expect(parent).toBeLessThan(node);
    expect(tree.end[node]).toBeGreaterThan(node);
    expect(tree.end[node]).toBeLessThanOrEqual(tree.end[parent]);
    expect(tree.depth[node]).toBe(tree.depth[parent] + 1);
    expect(tree.start[node]).toBeGreaterThanOrEqual(tree.start[parent]);
    expect(tree.start[node] + tree.total[node]).toBeLessThanOrEqual(tree.start[parent] + tree.total[parent]);
  }
  const below = new Float64Array(tree.count);
  for (let node = 1; node < tree.count; ++node) below[tree.parent[node]] += tree.total[node];
  tree.total.forEach((total, node) => expect(total).toBe(tree.self[node] + below[node]));
  expect(tree.end[0]).toBe(tree.count);
}

const plain = recordingOf([
  ["main b", { weight: 3 }],
  ["main:2 a lib_x c", { weight: 5 }],
  ["main:3 a", { weight: 1 }],
  ["main b", { weight: 2 }],
  ["", { weight: 7 }],
]);

describe("a tree", () => {
  it("merges calls, children by name", () => {
    expect(draw(plain)).toEqual(["main 0/11", " a 1/6", "  lib_x 0/5", "   c 5/5", " b 5/5"]);
    const tree = buildTree(plain, everything);
    expectSound(tree);
    expect(tree.total[0]).toBe(18);
    expect(tree.self[0]).toBe(7);
    expect(tree.maxDepth).toBe(4);
    expect([...tree.start]).toEqual([0, 0, 0, 0, 0, 6]);
  });

  it("keeps lines apart if asked", () => {
    const expected = ["main 0/5", " b 5/5", "main:2 0/5", " a 0/5", "  lib_x 0/5", "   c 5/5", "main:3 0/1", " a 1/1"];
    expect(draw(plain, { byLine: true })).toEqual(expected);
  });

  it("gives the time of hidden frames to who called them", () => {
    expect(draw(plain, { hidden: [Origin.library] })).toEqual(["main 0/11", " a 1/6", "  c 5/5", " b 5/5"]);
    const ending = recordingOf([["main lib_x std_y", { weight: 4 }]]);
    expect(draw(ending, { hidden: [Origin.library, Origin.standardLibrary] })).toEqual(["main 4/4"]);
    expect(draw(ending, { hidden: [Origin.library, Origin.standardLibrary, Origin.own] })).toEqual([]);
  });

  it("turned around has the innermost calls first", () => {
    const expected = ["a 0/1", " main 1/1", "b 0/5", " main 5/5", "c 0/5", " lib_x 0/5", "  a 0/5", "   main 5/5"];
    expect(draw(plain, { inverted: true })).toEqual(expected);
    const tree = buildTree(plain, { ...everything, inverted: true });
    expectSound(tree);
    expect(tree.self[0]).toBe(7);
    expect(tree.cut).toBe(0);
  });

  it("in focus begins at the first call of a function", () => {
    const recording = recordingOf([
      ["main f g f h", { weight: 2 }],
      ["main f", { weight: 1 }],
      ["main g", { weight: 8 }],
      ["other f h", { weight: 4 }],
    ]);
    expect(draw(recording, { focus: 1 })).toEqual(["f 1/7", " g 0/2", "  f 0/2", "   h 2/2", " h 4/4"]);
    expect(draw(recording, { focus: 1, inverted: true })).toEqual([
      "f 1/1",
      "h 0/6",
      " f 4/6",
      "  g 0/2",
      "   f 2/2",
    ]);
    expect(draw(recording, { focus: 99 })).toEqual([]);
  });
});

describe("the roots of a tree", () => {
  const builder = new RecordingBuilder();
  builder.addProcess(7, "a.py");
  builder.addProcess(8, "b.py");
  builder.addThread(1, 21, "x");
  builder.addThread(0, 20, "");
  const frame = builder.addFrame(builder.addFunction({ name: "f" }), 0);
  const marker = builder.addFunction({ name: "process 7 (a.py)", file: "", kind: FrameKind.marker });
  const marked = builder.addStack(0, builder.addFrame(marker, 0));
  const call = builder.addStack(0, frame);
  const markedCall = builder.addStack(marked, frame);
  builder.addSample(call, { weight: 1, thread: 0 });
  builder.addSample(markedCall, { weight: 2, thread: 1 });
  builder.addSample(call, { weight: 4, thread: 1 });
  const expected = ["process 7 (a.py) 0/6", " thread (20) 0/6", "  f 6/6", "process 8 (b.py) 0/1", " thread x (21) 0/1"];

  it("are threads and processes; a marker that says the same is not repeated", () => {
    const { recording } = builder;
    expect(draw(recording, { byThread: true })).toEqual([...expected, "  f 1/1"]);
    expect(draw(recording, { byThread: true, inverted: true })).toEqual([...expected, "  f 1/1"]);
  });

  it("are left out with their threads or processes", () => {
    const { recording } = builder;
    expect(draw(recording, { threads: [0] })).toEqual(["f 1/1"]);
    expect(draw(recording, { processes: [1] })).toEqual(["f 1/1"]);
    expect(draw(recording, { processes: [0], threads: [0] })).toEqual([]);
  });
});

describe("what is counted", () => {
  const recording = recordingOf([
    ["idle", { weight: 1, time: 0, state: 0 }],
    ["cpu", { weight: 2, time: 1, state: State.onCpu }],
    ["gil", { weight: 4, time: 3, state: State.onCpu | State.holdsGil }],
    ["waits", { weight: 8, time: 7, state: State.waitsForGil }],
    ["gc", { weight: 16, time: 15, state: State.onCpu | State.holdsGil | State.inGc }],
    ["ready", { weight: 32, time: 31, state: State.onCpu | State.holdsGil | State.ready }],
    ["sleeps with the GIL", { weight: 64, time: 63, state: State.holdsGil | State.asleepWithGil }],
  ]);

  it("depends on the mode", () => {
    const total = (mode: Selection["mode"]) => buildTree(recording, { ...everything, mode }).total[0];
    expect([total("wall"), total("cpu"), total("gil"), total("ready")]).toEqual([127, 22, 116, 32]);
  });

  it("is also told for the garbage collector and the GIL", () => {
    const tree = buildTree(recording, everything);
    expect([tree.inGc[0], tree.waitingForGil[0]]).toEqual([16, 8]);
  });

  it("is only what is inside of a time, of a sample its part", () => {
    expect(draw(recording, { time: [2, 9] })).toEqual(["cpu 1/1", "gil 4/4", "waits 2/2"]);
  });

  it("is samples where times are not known", () => {
    const tree = buildTree(recordingOf([["f", { weight: 0, ticks: 3 }]]), everything);
    expect([tree.unit, tree.total[0]]).toEqual(["samples", 3]);
  });
});

it("of 100,000 calls below each other is made, whatever the direction", () => {
  const builder = new RecordingBuilder();
  builder.addProcess(7, "a.py");
  builder.addThread(0, 7, "");
  const frames = [0, 1].map((i) => builder.addFrame(builder.addFunction({ name: `f${i}` }), 0));
  let stack = 0;
  for (let i = 0; i < 100_000; ++i) stack = builder.addStack(stack, frames[i % 2]);
  builder.addSample(stack);
  for (const inverted of [false, true]) {
    const tree = buildTree(builder.recording, { ...everything, inverted });
    expect([tree.count, tree.maxDepth, tree.total[99_999]]).toEqual([100_001, 100_000, 1]);
  }
});

it.each(["threads", "native"] as const)("of the recording %s is sound in every direction", (name) => {
  const reader = new FtapReader(name);
  reader.add(ftapBytes(name));
  const recording = reader.recording();
  const samples = recording.samples.weight.reduce((sum, weight) => sum + weight, 0);
  const selections: Partial<Selection>[] = [{}, { byThread: true }, { byLine: true }, { inverted: true }, { hidden: [2, 4] }];
  for (const selection of selections) {
    const tree = buildTree(recording, { ...everything, ...selection });
    expectSound(tree);
    expect(tree.total[0]).toBe(samples);
  }
});
