// What a chunk says about the recording as a whole. The last chunk's word counts.
import type { Cursor } from "./cursor";
import type { Counts, RecordedMode } from "./recording";

export interface RecordingSection {
  readonly startUnixNs: bigint;
  readonly durationNs: number;
  readonly rateHz: number;
  readonly mode: RecordedMode;
  readonly native: boolean;
  readonly ended: string;
  readonly counts: Counts;
}

const modes: readonly RecordedMode[] = ["wall", "cpu", "gil", "unknown", "ready"];

// In the order of the file. An older version knows fewer, a later one may know further ones.
const countNames = [
  "ticks",
  "missedTicks",
  "freeRunning",
  "rideAlong",
  "paused",
  "torn",
  "unreadable",
  "noFrames",
  "truncated",
  "medianSampleNs",
  "slowestSampleNs",
  "unmerged",
  "nativeTruncated",
  "guessed",
  "medianStopNs",
  "interrupted",
] as const satisfies readonly (keyof Counts)[];

function countsOf(values: ArrayLike<number>, more: ReadonlyMap<string, number>): Counts {
  const named = countNames.map((name, i) => [name, values[i] ?? 0]);
  return { ...(Object.fromEntries(named) as Omit<Counts, "more">), more };
}

/** Null if it cannot be true. */
export function readRecordingSection(cursor: Cursor): RecordingSection | null {
  const startUnixNs = cursor.u64();
  const durationNs = Number(cursor.u64());
  const rateHz = cursor.f64();
  const mode = cursor.u8();
  const ended = cursor.texts(1);
  const values = cursor.column(cursor.u32());
  const moreCount = cursor.u32();
  const moreNames = cursor.texts(moreCount);
  const moreValues = cursor.column(moreCount);
  const native = cursor.left > 0 && cursor.u8() !== 0; // version 1 does not say
  if (!cursor.ok || !Number.isFinite(rateHz) || rateHz < 0 || mode >= modes.length) return null;
  const counts = countsOf(values, new Map(moreNames.map((name, i) => [name, moreValues[i]])));
  return { startUnixNs, durationNs, rateHz, mode: modes[mode], native, ended: ended[0], counts };
}

export const nothingSaid: RecordingSection = {
  startUnixNs: 0n,
  durationNs: 0,
  rateHz: 0,
  mode: "unknown",
  native: false,
  ended: "",
  counts: countsOf([], new Map()),
};
