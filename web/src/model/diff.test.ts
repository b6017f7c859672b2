import { describe, expect, it } from "vitest";
import { recordingOf } from "../recording/test_builder";
import { diffOf, diffSideTree, diffTop, type DiffTree } from "./diff";
import { everything } from "./selection";
import { nodeName } from "./stack_text";

const before = recordingOf([["main a", { weight: 6 }], ["main b", { weight: 2 }]]);
const after = recordingOf([["main b", { weight: 2 }], ["main c", { weight: 1 }], ["main a", { weight: 1 }]]);

function nodes(diff: DiffTree): (string | number)[][] {
  return Array.from({ length: diff.tree.count - 1 }, (_, i) => {
    const node = i + 1;
    return [nodeName(diff.tree, diff.recording, node), diff.before.total[node], diff.after.total[node], diff.delta[node]];
  });
}

describe("a diff", () => {
  it("compares shares", () => {
    const diff = diffOf(before, after, everything);
    expect(nodes(diff)).toEqual([["main", 8, 4, 0], ["a", 6, 1, -0.5], ["b", 2, 2, 0.25], ["c", 0, 1, 0.25]]);
    expect([...diff.tree.total]).toEqual([8, 8, 4, 3, 1]);
    expect([...diff.tree.start]).toEqual([0, 0, 0, 4, 7]);
  });

  it("compares values as they are", () => {
    const diff = diffOf(before, after, everything, "absolute");
    expect(nodes(diff)).toEqual([["main", 8, 4, -0.5], ["a", 6, 1, -0.625], ["b", 2, 2, 0], ["c", 0, 1, 0.125]]);
  });

  it("has the widths of one side, too", () => {
    const diff = diffOf(before, after, everything);
    expect([...diffSideTree(diff, "before").total]).toEqual([8, 8, 6, 2, 0]);
    expect([...diffSideTree(diff, "after").start]).toEqual([0, 0, 0, 1, 3]);
  });

  it("lists functions by the size of their change", () => {
    const diff = diffOf(before, after, everything);
    const top = diffTop(diff);
    const name = (row: number) => diff.recording.strings[diff.recording.functions.name[top.function[row]]];
    const rows = Array.from({ length: top.count }, (_, row) => [name(row), top.selfBefore[row], top.selfAfter[row], top.selfDelta[row]]);
    expect(rows[0]).toEqual(["a", 6, 1, -0.5]);
    expect(rows.slice(1, 3)).toEqual(expect.arrayContaining([["b", 2, 2, 0.25], ["c", 0, 1, 0.25]]));
    expect(rows[3]).toEqual(["main", 0, 0, 0]);
    const inverted = diffTop(diffOf(before, after, { ...everything, inverted: true }));
    expect([...inverted.selfDelta]).toEqual([...top.selfDelta]);
  });

  it("keeps to the focus, in whichever recording the function is", () => {
    const { recording } = diffOf(before, after, everything);
    const focus = recording.functions.name.indexOf(recording.strings.indexOf("c"));
    expect(nodes(diffOf(before, after, { ...everything, focus }))).toEqual([["c", 0, 1, 1]]);
  });

  it("of a recording with itself shows no change", () => {
    const { delta } = diffOf(before, before, everything);
    expect(delta.every((value) => value === 0)).toBe(true);
  });
});
