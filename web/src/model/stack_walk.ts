// StackWalk: which frames of a stack a Selection shows, from where to where.
import { FrameKind, type Recording } from "../recording/recording";
import { originsOf } from "./origin";
import type { Selection } from "./selection";

export class StackWalk {
  /** By frame: 1 if it is left out. */
  private readonly hiddenFrames: Uint8Array;
  /** By stack: its outermost call of the function in focus, 0 if there is none. Null: nothing is in focus. */
  private readonly focusTops: Uint32Array | null;

  constructor(
    private readonly recording: Recording,
    selection: Selection,
  ) {
    this.hiddenFrames = hiddenFrames(recording, selection);
    this.focusTops = selection.focus === null ? null : outermostCalls(recording, selection.focus);
  }

  isHidden(frame: number): boolean {
    return this.hiddenFrames[frame] === 1;
  }

  /** Whether the stack is shown at all. */
  has(stack: number): boolean {
    return this.focusTops === null || this.focusTops[stack] !== 0;
  }

  /** The outermost call of the function in focus, which is in the stack. */
  top(stack: number): number {
    return this.focusTops === null ? 0 : this.focusTops[stack];
  }

  /** Where a walk from this stack to its root ends: the stack that is not shown any more. */
  stop(stack: number): number {
    return this.focusTops === null ? 0 : this.recording.stacks.parent[this.focusTops[stack]];
  }
}

// What is in focus was asked for, wherever it comes from.
function hiddenFrames(recording: Recording, selection: Selection): Uint8Array {
  const hidden = new Uint8Array(recording.frames.count);
  if (selection.hidden.length === 0) return hidden;
  const origins = originsOf(recording);
  for (let frame = 0; frame < hidden.length; ++frame) {
    const functionNumber = recording.frames.function[frame];
    const isHidden = selection.hidden.some((origin) => origin === origins[functionNumber]);
    hidden[frame] = isHidden && functionNumber !== selection.focus ? 1 : 0;
  }
  return hidden;
}

// A parent's number is smaller, so one pass in order is enough.
function outermostCalls(recording: Recording, functionNumber: number): Uint32Array {
  const { count, parent, frame } = recording.stacks;
  const functionOf = recording.frames.function;
  const tops = new Uint32Array(count);
  for (let stack = 1; stack < count; ++stack) {
    const above = tops[parent[stack]];
    tops[stack] = above !== 0 ? above : functionOf[frame[stack]] === functionNumber ? stack : 0;
  }
  return tops;
}

/** The names of the frames that are markers: a root `thread ...` that a stack has already is not repeated. */
export function markerFrames(recording: Recording): Map<number, string> {
  const markers = new Map<number, string>();
  const { functions, frames, strings } = recording;
  for (let frame = 0; frame < frames.count; ++frame) {
    const functionNumber = frames.function[frame];
    if (functions.kind[functionNumber] === FrameKind.marker) markers.set(frame, strings[functions.name[functionNumber]]);
  }
  return markers;
}
