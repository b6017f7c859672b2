// Recording: what one .ftap file holds, as tables of numbers, in the words of docs/formats/json.md. Immutable once read,
// except that a live one grows: then a new Recording is made, which shares what did not change.
//
// Rows of different tables name each other by number. Stack 0 is the empty one; the number of a stack's parent is always
// smaller than its own, so one pass over the numbers in order (or backwards) is a walk of the tree.

export const FrameKind = { python: 0, marker: 1, native: 2, inlined: 3, kernel: 4 } as const;

/** Bits of a sample's state. A thread with none of the first three is idle. */
export const State = { onCpu: 1, holdsGil: 2, waitsForGil: 4, inGc: 8, ready: 16, asleepWithGil: 32 } as const;

export type RecordedMode = "wall" | "cpu" | "gil" | "unknown" | "ready";

export interface Functions {
  readonly count: number;
  readonly name: Uint32Array; // a string
  readonly file: Uint32Array; // a string
  readonly firstLine: Int32Array;
  readonly kind: Uint8Array;
  readonly module: Uint32Array; // a string
}

export interface Frames {
  readonly count: number;
  readonly function: Uint32Array;
  readonly line: Int32Array; // 0: not known
}

export interface Stacks {
  readonly count: number; // with the empty one
  readonly parent: Uint32Array;
  readonly frame: Uint32Array;
}

export interface Process {
  readonly pid: number;
  readonly command: string;
  readonly python: string;
}

export interface Thread {
  readonly process: number;
  readonly id: bigint;
  readonly name: string;
}

/** One sample: so many ticks one after the other at which a thread was in this state with this stack. As
 * they were recorded: by time, but not to the nanosecond, and a recording that comes from elsewhere need not be. */
export interface Samples {
  readonly count: number;
  readonly time: Float64Array; // nanoseconds since the start of the recording
  readonly weight: Float64Array; // nanoseconds that it stands for; 0 in all: not known
  readonly ticks: Float64Array; // 0 in all: not known
  readonly thread: Uint32Array;
  readonly stack: Uint32Array;
  readonly state: Uint8Array;
}

/** How the recording went: docs/formats/stats.md. */
export interface Counts {
  readonly ticks: number;
  readonly missedTicks: number;
  readonly freeRunning: number;
  readonly interrupted: number;
  readonly rideAlong: number;
  readonly paused: number;
  readonly torn: number;
  readonly unreadable: number;
  readonly noFrames: number;
  readonly truncated: number;
  readonly medianSampleNs: number;
  readonly slowestSampleNs: number;
  readonly unmerged: number;
  readonly nativeTruncated: number;
  readonly guessed: number;
  readonly medianStopNs: number;
  readonly more: ReadonlyMap<string, number>;
}

export interface Recording {
  readonly name: string; // of the file, for people
  readonly startUnixNs: bigint;
  readonly durationNs: number;
  readonly rateHz: number; // 0: as fast as possible
  readonly mode: RecordedMode; // which samples are in it
  readonly native: boolean; // C stacks were recorded
  readonly ended: string; // why, for people; empty while it goes on
  readonly complete: boolean; // the end of it was read; if not, it goes on or was cut off
  readonly damage: readonly string[]; // what was lost from the file, a sentence each
  readonly counts: Counts;
  readonly strings: readonly string[];
  readonly functions: Functions;
  readonly frames: Frames;
  readonly stacks: Stacks;
  readonly processes: readonly Process[];
  readonly threads: readonly Thread[];
  readonly samples: Samples;
  readonly sources: ReadonlyMap<number, string>; // the text of a file, by the string of its path
}
