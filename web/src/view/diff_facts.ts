// What there is to say about one box of a difference.

import type { DiffSide, DiffTree } from "../model/diff";
import { share, shareDelta, value } from "../model/format";
import { frameFacts, type FrameFacts } from "./frame_facts";

export function diffFacts(diff: DiffTree, node: number): FrameFacts {
  const { name, place } = frameFacts(diff.recording, diff.tree, node);
  return {
    name,
    place,
    facts: [
      { name: "before", text: amount(diff.before, diff.before.total[node]) },
      { name: "after", text: amount(diff.after, diff.after.total[node]) },
      { name: "difference", text: shareDelta(diff.delta[node]) },
      { name: "of it self", text: shareDelta(diff.selfDelta[node]) },
    ],
  };
}

function amount(side: DiffSide, part: number): string {
  return `${value(part, side.unit)} (${share(part, side.whole)})`;
}
