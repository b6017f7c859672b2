// Top: what each function took, itself and with all that it called. Made from a tree, so that it follows the selection.
import type { Recording } from "../recording/recording";
import { type CallTree, noFunction, type Unit } from "./call_tree";
import { rankFunctions } from "./keys";

export interface Top {
  readonly count: number;
  readonly function: Uint32Array; // those that weigh something
  readonly self: Float64Array; // while it was the innermost one that is shown
  readonly total: Float64Array; // while it was on the stack; once, however often it stood there
  readonly inGc: Float64Array; // of its total
  readonly waitingForGil: Float64Array; // of its total
  readonly whole: number; // what everything weighs
  readonly unit: Unit;
}

export type TopColumn = "self" | "total" | "inGc" | "waitingForGil" | "name";

/** Calls `visit` for each node, and says whether its function stands above it already. */
export function visitCalls(tree: CallTree, functionCount: number, visit: (node: number, isAgain: boolean) => void): void {
  const onPath = new Uint32Array(functionCount);
  const path = new Uint32Array(tree.maxDepth + 1);
  let length = 0;
  for (let node = 1; node < tree.count; ++node) {
    for (; length >= tree.depth[node]; --length) leave(path[length]);
    path[++length] = node;
    const functionNumber = tree.function[node];
    if (functionNumber === noFunction) continue;
    visit(node, onPath[functionNumber]++ > 0);
  }

  function leave(node: number): void {
    if (tree.function[node] !== noFunction) --onPath[tree.function[node]];
  }
}

export function topOf(tree: CallTree, recording: Recording): Top {
  const count = recording.functions.count;
  const self = new Float64Array(count);
  const total = new Float64Array(count);
  const inGc = new Float64Array(count);
  const waitingForGil = new Float64Array(count);
  const isInnermost = (node: number) => tree.function[tree.parent[node]] === noFunction;
  visitCalls(tree, count, (node, isAgain) => {
    const functionNumber = tree.function[node];
    // An inverted tree has the innermost calls right below its roots, with all that they weigh.
    if (!tree.inverted) self[functionNumber] += tree.self[node];
    else if (isInnermost(node)) self[functionNumber] += tree.total[node];
    if (isAgain) return;
    total[functionNumber] += tree.total[node];
    inGc[functionNumber] += tree.inGc[node];
    waitingForGil[functionNumber] += tree.waitingForGil[node];
  });
  const functions = Uint32Array.from(rangeWhere(count, (i) => total[i] > 0));
  const pick = (values: Float64Array) => Float64Array.from(functions, (i) => values[i]);
  return {
    count: functions.length,
    function: functions,
    self: pick(self),
    total: pick(total),
    inGc: pick(inGc),
    waitingForGil: pick(waitingForGil),
    whole: tree.total[0],
    unit: tree.unit,
  };
}

function rangeWhere(count: number, wanted: (i: number) => boolean): number[] {
  const numbers: number[] = [];
  for (let i = 0; i < count; ++i) if (wanted(i)) numbers.push(i);
  return numbers;
}

export interface TopOrder {
  readonly column: TopColumn;
  readonly ascending: boolean;
  readonly matching?: Uint8Array | null; // only these functions: see search.ts
}

/** The rows of a Top in this order; those that are equal by total, then by name. */
export function sortTop(top: Top, recording: Recording, order: TopOrder): Uint32Array {
  const rank = rankFunctions(recording);
  const rows = rangeWhere(top.count, (row) => !order.matching || order.matching[top.function[row]] === 1);
  const byName = (a: number, b: number) => rank[top.function[a]] - rank[top.function[b]];
  const sign = order.ascending ? 1 : -1;
  const values = order.column === "name" ? null : top[order.column];
  rows.sort((a, b) => {
    if (values === null) return sign * byName(a, b);
    return sign * (values[a] - values[b]) || top.total[b] - top.total[a] || byName(a, b);
  });
  return Uint32Array.from(rows);
}
