// CallTree: the calls of the selected samples, merged, in the order in which they are drawn: each node before its children,
// children by name. So the nodes below node i are i+1 ... end[i]-1, and a drawing may skip all of them at once.
//
// Values are nanoseconds, or samples (ticks) if the recording knows only these: `unit` tells.

export type Unit = "nanoseconds" | "samples";

export interface CallTree {
  readonly count: number; // with the root, which is node 0 and stands for everything
  readonly parent: Int32Array; // -1 for the root
  readonly end: Uint32Array;
  readonly depth: Uint32Array; // 0 for the root
  readonly maxDepth: number;
  readonly function: Uint32Array; // noFunction: the root, a thread or a process
  readonly line: Int32Array; // 0 unless by line
  readonly label: Uint32Array; // of nodes without a function: which of `labels`
  readonly labels: readonly string[];
  readonly self: Float64Array;
  readonly total: Float64Array;
  readonly start: Float64Array; // where it begins when the root begins at 0
  readonly inGc: Float64Array; // of its total, while it collected garbage
  readonly waitingForGil: Float64Array; // of its total
  readonly unit: Unit;
  readonly inverted: boolean; // the innermost calls are below the root, and callers below what they call
  // Inverted trees can have far more nodes than there are stacks. Of one that would have more than a few million, the
  // lightest and outermost callers are not shown; so much weight has callers that are not. 0 of nearly every tree.
  readonly cut: number;
}

export const noFunction = 0xffffffff;
