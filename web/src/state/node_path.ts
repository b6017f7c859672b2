// A node by the functions that lead to it: numbers of nodes change whenever a tree is built anew, paths do not.

import { noFunction, type CallTree } from "../model/call_tree";
import type { Path, Step } from "./view_state";

export function pathOf(tree: CallTree, node: number): Path {
  const steps: Step[] = [];
  for (let at = node; at > 0; at = tree.parent[at]) steps.push(stepOf(tree, at));
  return steps.reverse();
}

/** The node at the end of the path, or the last one on it that there is. */
export function nearestNode(tree: CallTree, path: Path): number {
  let node = 0;
  for (const step of path) {
    const next = childAt(tree, node, step);
    if (next < 0) break;
    node = next;
  }
  return node;
}

/** The node at the end of the path; -1: there is none. */
export function nodeAt(tree: CallTree, path: Path): number {
  let node = 0;
  for (const step of path) {
    node = childAt(tree, node, step);
    if (node < 0) return -1;
  }
  return node;
}

/** The nodes right below a node, in the order in which they are drawn. */
export function childrenOf(tree: CallTree, node: number): number[] {
  const children: number[] = [];
  for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) children.push(child);
  return children;
}

function stepOf(tree: CallTree, node: number): Step {
  if (tree.function[node] === noFunction) return { label: tree.labels[tree.label[node]] };
  return { function: tree.function[node], line: tree.line[node] };
}

function childAt(tree: CallTree, node: number, step: Step): number {
  for (let child = node + 1; child < tree.end[node]; child = tree.end[child]) {
    if (isStep(tree, child, step)) return child;
  }
  return -1;
}

function isStep(tree: CallTree, node: number, step: Step): boolean {
  if ("label" in step) return tree.function[node] === noFunction && tree.labels[tree.label[node]] === step.label;
  return tree.function[node] === step.function && tree.line[node] === step.line;
}
