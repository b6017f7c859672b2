// Where the nodes of a CallTree stand on a canvas that shows a part of it. Pure arithmetic on a tree in drawing order:
// the beginnings of its nodes never decrease, so what lies left of the view is skipped by subtrees, what lies right of it
// ends the walk, and the node below a point is found by bisection.

import type { CallTree } from "../model/call_tree";

export interface Viewport {
  readonly width: number; // CSS pixels
  readonly height: number;
  readonly rowHeight: number;
  readonly scrollTop: number;
  readonly from: number; // the values at the left and the right edge
  readonly to: number;
  readonly root: number; // the node that was zoomed into: its callers are drawn, not what they call besides
  readonly rows: number; // depth of the deepest node that can be seen, plus one
  readonly upward: boolean; // a flame graph; else an icicle
  readonly skip: number; // rows at the root that are not shown
}

export interface BoxVisitor {
  box(node: number, x: number, width: number): void;
  /** Nodes too narrow for a box begin in this column of pixels of the row. Once for each column. */
  sliver(depth: number, column: number): void;
}

const narrowest = 0.5; // pixels: what is narrower gets no box

export function rowTop(port: Viewport, depth: number): number {
  const row = port.upward ? port.rows - 1 - depth : depth - port.skip;
  return row * port.rowHeight - port.scrollTop + slack(port);
}

// A flame graph that does not fill the view stands at its bottom.
function slack(port: Viewport): number {
  return port.upward ? Math.max(0, port.height - (port.rows - port.skip) * port.rowHeight) : 0;
}

export function depthAt(port: Viewport, y: number): number {
  const row = Math.floor((y + port.scrollTop - slack(port)) / port.rowHeight);
  return port.upward ? port.rows - 1 - row : row + port.skip;
}

export function xOf(port: Viewport, value: number): number {
  return ((value - port.from) / (port.to - port.from)) * port.width;
}

export function valueAt(port: Viewport, x: number): number {
  return port.from + (x / port.width) * (port.to - port.from);
}

/** Rows that a view of this node needs. */
export function rowsBelow(tree: CallTree, node: number): number {
  let deepest = tree.depth[node];
  for (let i = node; i < tree.end[node]; i++) if (tree.depth[i] > deepest) deepest = tree.depth[i];
  return deepest + 1;
}

/** Visits what can be seen, each node before what it calls. Returns how many nodes are narrower than a pixel. */
export function visitBoxes(tree: CallTree, port: Viewport, visitor: BoxVisitor): number {
  if (!(port.to > port.from) || port.width <= 0) return 0;
  const [firstRow, lastRow] = visibleDepths(port);
  for (const node of callersOf(tree, port.root)) {
    if (tree.depth[node] >= firstRow && tree.depth[node] <= lastRow) visitor.box(node, 0, port.width);
  }
  const scale = port.width / (port.to - port.from);
  const lastSliver = new Int32Array(port.rows + 1).fill(-1);
  let narrow = 0;
  let node = port.root;
  const end = tree.end[port.root];
  while (node < end && tree.start[node] < port.to) {
    const start = tree.start[node];
    const depth = tree.depth[node];
    const width = tree.total[node] * scale;
    if (start + tree.total[node] <= port.from || depth > lastRow) {
      node = tree.end[node];
      continue;
    }
    const x = (start - port.from) * scale;
    if (width < narrowest) {
      narrow += tree.end[node] - node;
      const column = Math.floor(x);
      if (depth >= firstRow && lastSliver[depth] !== column) visitor.sliver(depth, (lastSliver[depth] = column));
      node = tree.end[node];
      continue;
    }
    if (width < 1) narrow++;
    if (depth >= firstRow) visitor.box(node, x, width);
    node++;
  }
  return narrow;
}

/** The node at a point of the canvas; -1: none. */
export function nodeAtPoint(tree: CallTree, port: Viewport, x: number, y: number): number {
  const depth = depthAt(port, y);
  if (depth < port.skip || depth >= port.rows || x < 0 || x >= port.width || !(port.to > port.from)) return -1;
  return nodeAtValue(tree, port.root, valueAt(port, x), depth);
}

function nodeAtValue(tree: CallTree, root: number, value: number, depth: number): number {
  // The last node of the subtree that begins at or before the value: whatever covers the value is it, or calls it.
  let low = root;
  let high = tree.end[root];
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (tree.start[middle] <= value) low = middle;
    else high = middle;
  }
  let node = low;
  while (node >= 0 && tree.depth[node] > depth) node = tree.parent[node];
  if (node < 0 || tree.depth[node] !== depth) return -1;
  return depth < tree.depth[root] || value < tree.start[node] + tree.total[node] ? node : -1;
}

function visibleDepths(port: Viewport): [number, number] {
  const one = depthAt(port, 0);
  const other = depthAt(port, port.height - 1);
  return [Math.max(port.skip, Math.min(one, other)), Math.min(port.rows - 1, Math.max(one, other))];
}

function callersOf(tree: CallTree, node: number): number[] {
  const callers: number[] = [];
  for (let at = tree.parent[node]; at >= 0; at = tree.parent[at]) callers.push(at);
  return callers.reverse();
}
