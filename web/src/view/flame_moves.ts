// Where the arrow keys lead in a CallTree. Pure.

import type { CallTree } from "../model/call_tree";

export type Move = "parent" | "child" | "previous" | "next" | "root";

/** The node that the move leads to; the node itself if there is no other. `root` is the node that was zoomed into. */
export function moved(tree: CallTree, root: number, node: number, move: Move): number {
  if (node < 0 || node >= tree.count) return root;
  switch (move) {
    case "parent":
      return tree.parent[node] < 0 ? node : tree.parent[node];
    case "child":
      return node < root && tree.end[node] >= tree.end[root] ? towards(tree, node, root) : heaviestChild(tree, node);
    case "previous":
      return sameDepth(tree, root, node, -1);
    case "next":
      return sameDepth(tree, root, node, 1);
    case "root":
      return root;
  }
}

// From a caller of what was zoomed into, the way down leads there: the others are not drawn.
function towards(tree: CallTree, node: number, root: number): number {
  let at = root;
  while (tree.parent[at] > node) at = tree.parent[at];
  return at;
}

function heaviestChild(tree: CallTree, node: number): number {
  let best = node;
  for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) {
    if (best === node || tree.total[child] > tree.total[best]) best = child;
  }
  return best;
}

// The neighbour in the row, be it called by another function.
function sameDepth(tree: CallTree, root: number, node: number, step: 1 | -1): number {
  if (tree.depth[node] <= tree.depth[root]) return node;
  const depth = tree.depth[node];
  for (let at = node + step; at > root && at < tree.end[root]; at += step) {
    if (tree.depth[at] === depth) return at;
  }
  return node;
}
