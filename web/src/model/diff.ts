// Diff: two recordings in one tree over the union of their functions, with what each node took before and after.
import type { Recording } from "../recording/recording";
import { buildTree } from "./build_tree";
import { type CallTree, noFunction } from "./call_tree";
import { keysOf } from "./keys";
import { layOut, startsOf, sumUp } from "./layout";
import type { Selection } from "./selection";
import { visitCalls } from "./top";
import { Trie } from "./trie";
import { type Union, unionOf } from "./union";

/** How the two are compared: each to its own total, or as they are (only if both have the same unit). */
export type DiffScale = "shares" | "absolute";

export interface DiffSide {
  readonly self: Float64Array; // by node, in the unit of its recording
  readonly total: Float64Array;
  readonly whole: number;
  readonly unit: CallTree["unit"];
  readonly scale: number; // what its values are multiplied by in `tree`
}

export interface DiffTree {
  readonly recording: Recording; // the names of the functions: no samples
  readonly tree: CallTree; // a node weighs the mean of before and after, so that each one has a width
  readonly before: DiffSide;
  readonly after: DiffSide;
  readonly delta: Float64Array; // by node: how much more its total is after, as a share of the whole; from -1 to 1
  readonly selfDelta: Float64Array;
  readonly scale: DiffScale;
}

/**
 * Of the selection counts what means the same in both recordings: mode, hidden, inverted, and focus, which is a function
 * of the union.
 */
export function diffOf(
  before: Recording,
  after: Recording,
  selection: Selection,
  scale: DiffScale = "shares",
): DiffTree {
  const union = unionOf(before, after);
  const treeBefore = buildTree(before, selectionFor(selection, union.ofBefore));
  const treeAfter = buildTree(after, selectionFor(selection, union.ofAfter));
  const isAbsolute = scale === "absolute" && treeBefore.unit === treeAfter.unit;
  return merged(union, treeBefore, treeAfter, isAbsolute ? "absolute" : "shares");
}

function selectionFor(selection: Selection, numbers: Uint32Array): Selection {
  // A function that the recording does not have is in none of its stacks.
  const focus = selection.focus === null ? null : numbers.indexOf(selection.focus);
  const known = focus === -1 ? numbers.length : focus;
  return { ...selection, focus: known, threads: null, processes: null, time: null, byThread: false, byLine: false };
}

function merged(union: Union, before: CallTree, after: CallTree, scale: DiffScale): DiffTree {
  const trie = new Trie(Math.max(before.count, after.count));
  const names = union.recording;
  const keys = keysOf(withFrames(names), false, before.labels);
  const nodesBefore = insertAll(trie, before, (i) => keys.ofFrame[union.ofBefore[i]]);
  const nodesAfter = insertAll(trie, after, (i) => keys.ofFrame[union.ofAfter[i]]);
  const unit = before.unit === after.unit ? before.unit : "samples";
  const { tree, place } = layOut(trie, keys, { unit, inverted: before.inverted, cut: before.cut + after.cut });
  const whole = Math.max(before.total[0], after.total[0]);
  const side = (from: CallTree, nodes: Uint32Array): DiffSide => {
    const self = new Float64Array(tree.count);
    for (let node = 0; node < from.count; ++node) self[place[nodes[node]]] += from.self[node];
    const total = self.slice();
    sumUp(tree.parent, total);
    const factor = scale === "shares" && from.total[0] > 0 ? whole / from.total[0] : 1;
    return { self, total, whole: from.total[0], unit: from.unit, scale: factor };
  };
  const sides = { before: side(before, nodesBefore), after: side(after, nodesAfter) };
  return {
    recording: names,
    tree: withValues(tree, (name) => mean(sides.before, sides.after, name)),
    ...sides,
    delta: deltas(sides.before, sides.after, "total", whole),
    selfDelta: deltas(sides.before, sides.after, "self", whole),
    scale,
  };
}

// A frame for each function, of the same number: so the key of a frame is that of a function.
function withFrames(names: Recording): Recording {
  const { count } = names.functions;
  return { ...names, frames: { count, function: allNumbers(count), line: new Int32Array(count) } };
}

function allNumbers(count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, i) => i);
}

/** The trie's node for each node of the tree. */
function insertAll(trie: Trie, tree: CallTree, keyOf: (functionNumber: number) => number): Uint32Array {
  const nodes = new Uint32Array(tree.count);
  for (let node = 1; node < tree.count; ++node) {
    nodes[node] = trie.child(nodes[tree.parent[node]], keyOf(tree.function[node]));
  }
  return nodes;
}

type ValueName = "self" | "total";

function mean(before: DiffSide, after: DiffSide, name: ValueName): Float64Array {
  return before[name].map((value, i) => (value * before.scale + after[name][i] * after.scale) / 2);
}

function deltas(before: DiffSide, after: DiffSide, name: ValueName, whole: number): Float64Array {
  if (whole === 0) return new Float64Array(before[name].length);
  return before[name].map((value, i) => (after[name][i] * after.scale - value * before.scale) / whole);
}

function withValues(tree: CallTree, values: (name: ValueName) => Float64Array): CallTree {
  const total = values("total");
  return { ...tree, self: values("self"), total, start: startsOf(tree.parent, total) };
}

/** The same nodes as wide as they were before, or are after. What is only on the other side has no width. */
export function diffSideTree(diff: DiffTree, which: "before" | "after"): CallTree {
  const side = diff[which];
  return { ...withValues(diff.tree, (name) => side[name]), unit: side.unit };
}

export interface DiffTop {
  readonly count: number;
  readonly function: Uint32Array; // of the union; those that weigh something on either side
  readonly selfBefore: Float64Array; // each in the unit of its side
  readonly selfAfter: Float64Array;
  readonly totalBefore: Float64Array;
  readonly totalAfter: Float64Array;
  readonly selfDelta: Float64Array; // as `delta` of DiffTree
  readonly totalDelta: Float64Array;
}

/** By function. By the size of their change in self, the largest first. */
export function diffTop(diff: DiffTree): DiffTop {
  const { tree, before, after } = diff;
  const count = diff.recording.functions.count;
  const selfs = [new Float64Array(count), new Float64Array(count)];
  const totals = [new Float64Array(count), new Float64Array(count)];
  visitCalls(tree, count, (node, isAgain) => {
    const isInnermost = !tree.inverted || tree.function[tree.parent[node]] === noFunction;
    [before, after].forEach((side, i) => {
      if (isInnermost) selfs[i][tree.function[node]] += tree.inverted ? side.total[node] : side.self[node];
      if (!isAgain) totals[i][tree.function[node]] += side.total[node];
    });
  });
  const whole = Math.max(before.whole * before.scale, after.whole * after.scale) || 1;
  const change = ([from, to]: Float64Array[]) => from.map((v, i) => (to[i] * after.scale - v * before.scale) / whole);
  const selfDelta = change(selfs);
  const rows = allNumbers(count).filter((i) => totals[0][i] > 0 || totals[1][i] > 0);
  rows.sort((a, b) => Math.abs(selfDelta[b]) - Math.abs(selfDelta[a]) || a - b);
  const pick = (values: Float64Array) => Float64Array.from(rows, (i) => values[i]);
  return {
    count: rows.length,
    function: rows,
    selfBefore: pick(selfs[0]),
    selfAfter: pick(selfs[1]),
    totalBefore: pick(totals[0]),
    totalAfter: pick(totals[1]),
    selfDelta: pick(selfDelta),
    totalDelta: pick(change(totals)),
  };
}
