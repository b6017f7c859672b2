// Sandwich: one function between those that call it and those that it calls, over all stacks it stands on. Both trees
// have the function right below their roots, and weigh the same: a call of it below itself belongs to the outer one.
import type { Recording } from "../recording/recording";
import { buildCallers, buildTree } from "./build_tree";
import type { CallTree } from "./call_tree";
import type { Selection } from "./selection";

export interface Sandwich {
  readonly callers: CallTree; // inverted: below the function those that call it, below them their callers
  readonly callees: CallTree;
  readonly total: number;
  readonly self: number; // while it was the innermost one that is shown, called by itself or not
}

/** What the selection says of direction and focus does not count here. */
export function sandwichOf(recording: Recording, selection: Selection, functionNumber: number): Sandwich {
  const focused = { ...selection, focus: functionNumber, inverted: false };
  const callers = buildCallers(recording, focused);
  const callees = buildTree(recording, focused);
  let self = 0;
  for (let node = 1; node < callees.count; ++node) {
    if (callees.function[node] === functionNumber) self += callees.self[node];
  }
  return { callers, callees, total: callees.total[0], self };
}
