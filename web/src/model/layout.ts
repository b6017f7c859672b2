// From a Trie to a CallTree: the nodes in the order in which they are drawn, with their totals and places. A few passes
// over columns; a parent's number in the trie is smaller than its children's, so a pass backwards sums up the tree.
import { type CallTree, noFunction, type Unit } from "./call_tree";
import type { Keys } from "./keys";
import type { Trie } from "./trie";

export interface LayoutOptions {
  readonly unit: Unit;
  readonly inverted: boolean;
  readonly cut: number;
}

export interface Layout {
  readonly tree: CallTree;
  readonly place: Uint32Array; // where each node of the trie is in the tree
}

export function layOut(trie: Trie, keys: Keys, options: LayoutOptions): Layout {
  const place = places(trie, keys.count);
  const tree = placeNodes(trie, keys, place, options);
  return { tree, place };
}

// The place of a node is behind its parent and the subtrees of its siblings before it.
function places(trie: Trie, keyCount: number): Uint32Array {
  const { count, parent } = trie;
  const size = new Uint32Array(count).fill(1);
  for (let node = count - 1; node > 0; --node) size[parent[node]] += size[node];
  const place = new Uint32Array(count);
  const next = new Uint32Array(count); // where the next child goes
  next[0] = 1;
  // Sorted by parent, so the place of a parent is known before its children need it.
  for (const node of byParentAndKey(trie, keyCount)) {
    const at = next[parent[node]];
    next[parent[node]] = at + size[node];
    place[node] = at;
    next[node] = at + 1;
  }
  return place;
}

// Two counting sorts, the more important one last.
function byParentAndKey(trie: Trie, keyCount: number): Uint32Array {
  const { count, parent, key } = trie;
  const byKey = new Uint32Array(count - 1);
  const nextOfKey = offsets(key, 1, count, keyCount);
  for (let node = 1; node < count; ++node) byKey[nextOfKey[key[node]]++] = node;
  const order = new Uint32Array(count - 1);
  const nextOfParent = offsets(parent, 1, count, count);
  for (let i = 0; i < byKey.length; ++i) order[nextOfParent[parent[byKey[i]]]++] = byKey[i];
  return order;
}

function offsets(values: Uint32Array | Int32Array, from: number, to: number, valueCount: number): Uint32Array {
  const next = new Uint32Array(valueCount + 1);
  for (let i = from; i < to; ++i) ++next[values[i] + 1];
  for (let value = 0; value < valueCount; ++value) next[value + 1] += next[value];
  return next;
}

function placeNodes(trie: Trie, keys: Keys, place: Uint32Array, options: LayoutOptions): CallTree {
  const count = trie.count;
  const parent = new Int32Array(count);
  const functions = new Uint32Array(count);
  const line = new Int32Array(count);
  const label = new Uint32Array(count);
  const self = new Float64Array(count);
  const inGc = new Float64Array(count);
  const waitingForGil = new Float64Array(count);
  parent[0] = -1;
  functions[0] = noFunction;
  self[0] = trie.self[0];
  inGc[0] = trie.inGc[0];
  waitingForGil[0] = trie.waitingForGil[0];
  for (let node = 1; node < count; ++node) {
    const at = place[node];
    const key = trie.key[node];
    parent[at] = place[trie.parent[node]];
    functions[at] = keys.function[key];
    line[at] = keys.line[key];
    if (key >= keys.firstLabel) label[at] = key - keys.firstLabel;
    self[at] = trie.self[node];
    inGc[at] = trie.inGc[node];
    waitingForGil[at] = trie.waitingForGil[node];
  }
  const total = self.slice();
  sumUp(parent, total);
  sumUp(parent, inGc);
  sumUp(parent, waitingForGil);
  const shape = shapeOf(parent);
  const start = startsOf(parent, total);
  const columns = { parent, ...shape, function: functions, line, label, labels: keys.labels };
  return { count, ...columns, self, total, start, inGc, waitingForGil, ...options };
}

/** Adds to every node what is below it. For nodes in the order of a CallTree. */
export function sumUp(parent: Int32Array, values: Float64Array): void {
  for (let node = parent.length - 1; node > 0; --node) values[parent[node]] += values[node];
}

/** Where each node begins: children one behind the other from their parent's start on. */
export function startsOf(parent: Int32Array, total: Float64Array): Float64Array {
  const start = new Float64Array(parent.length);
  const next = new Float64Array(parent.length);
  for (let node = 1; node < parent.length; ++node) {
    const at = next[parent[node]];
    start[node] = at;
    next[node] = at;
    next[parent[node]] = at + total[node];
  }
  return start;
}

function shapeOf(parent: Int32Array): { end: Uint32Array; depth: Uint32Array; maxDepth: number } {
  const count = parent.length;
  const depth = new Uint32Array(count);
  const end = new Uint32Array(count);
  let maxDepth = 0;
  for (let node = 1; node < count; ++node) {
    depth[node] = depth[parent[node]] + 1;
    if (depth[node] > maxDepth) maxDepth = depth[node];
  }
  for (let node = count - 1; node >= 0; --node) {
    if (end[node] === 0) end[node] = node + 1; // no child has told otherwise
    if (node > 0 && end[parent[node]] < end[node]) end[parent[node]] = end[node];
  }
  return { end, depth, maxDepth };
}
