// Search: which functions match, where they stand in a tree, and what they weigh together. Nothing is left out of the
// tree and no share changes: a search only marks.
import type { Recording } from "../recording/recording";
import { type CallTree, noFunction } from "./call_tree";
import { frameText } from "./stack_text";

export interface SearchOptions {
  readonly plain?: boolean; // look for the text as it stands, not for a regular expression
  readonly caseSensitive?: boolean; // unless said, only if the text has a capital letter
}

export type Search =
  | { readonly pattern: RegExp; readonly error: null }
  | { readonly pattern: null; readonly error: string }; // for people

export function parseSearch(text: string, options: SearchOptions = {}): Search {
  const source = options.plain ? text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&") : text;
  const caseSensitive = options.caseSensitive ?? /\p{Lu}/u.test(text.replace(/\\\p{L}/gu, ""));
  try {
    return { pattern: new RegExp(source, caseSensitive ? "" : "i"), error: null };
  } catch (error) {
    return { pattern: null, error: error instanceof Error ? error.message : String(error) };
  }
}

/** 1 for each function whose name, or "name (file:line)", has a match. */
export function matchingFunctions(recording: Recording, pattern: RegExp): Uint8Array {
  const { count, name, firstLine } = recording.functions;
  const matching = new Uint8Array(count);
  for (let i = 0; i < count; ++i) {
    const matches = pattern.test(recording.strings[name[i]]) || pattern.test(frameText(recording, i, firstLine[i]));
    matching[i] = matches ? 1 : 0;
  }
  return matching;
}

function isMatch(tree: CallTree, matching: Uint8Array, node: number): boolean {
  const functionNumber = tree.function[node];
  return functionNumber !== noFunction && matching[functionNumber] === 1;
}

/** What the outermost matching nodes weigh: a match below a match is counted already. */
export function matchedTotal(tree: CallTree, matching: Uint8Array): number {
  let total = 0;
  for (let node = 0; node < tree.count; ) {
    if (isMatch(tree, matching, node)) {
      total += tree.total[node];
      node = tree.end[node];
    } else {
      ++node;
    }
  }
  return total;
}

/** The matching nodes in the order in which they are drawn. */
export function matchingNodes(tree: CallTree, matching: Uint8Array): Uint32Array {
  let count = 0;
  for (let node = 0; node < tree.count; ++node) count += isMatch(tree, matching, node) ? 1 : 0;
  const nodes = new Uint32Array(count);
  let next = 0;
  for (let node = 0; node < tree.count; ++node) {
    if (isMatch(tree, matching, node)) nodes[next++] = node;
  }
  return nodes;
}

/** The next of `nodes` behind `node` (before it, if backwards), around the end; -1 if there is none. */
export function nextMatch(nodes: Uint32Array, node: number, backwards = false): number {
  if (nodes.length === 0) return -1;
  let low = 0;
  let high = nodes.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (backwards ? nodes[middle] < node : nodes[middle] <= node) low = middle + 1;
    else high = middle;
  }
  if (backwards) return nodes[low > 0 ? low - 1 : nodes.length - 1];
  return nodes[low < nodes.length ? low : 0];
}
