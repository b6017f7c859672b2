// Recordings that flametap made (web/testdata), with what `flametap report -f json` says of them.
import { readFileSync } from "node:fs";

export interface JsonProfile {
  readonly recording: {
    readonly start_unix_ns: bigint;
    readonly duration_ns: number;
    readonly rate_hz: number;
    readonly mode: string;
    readonly native: boolean;
    readonly ended: string;
    readonly quality: Record<string, unknown> & {
      readonly steps: Record<string, number>;
      readonly more: Record<string, number>;
    };
  };
  readonly processes: readonly { pid: number; command: string; python: string }[];
  readonly threads: readonly { process: number; id: number; name: string }[];
  readonly strings: readonly string[];
  readonly functions: Record<"name" | "file" | "first_line" | "kind" | "module", readonly number[]>;
  readonly frames: Record<"function" | "line", readonly number[]>;
  readonly stacks: Record<"parent" | "frame", readonly number[]>;
  readonly samples: Record<"time_ns" | "weight_ns" | "thread" | "stack" | "ticks" | "state", readonly number[]>;
}

export const testRecordings = ["threads", "native"] as const;
export type TestRecording = (typeof testRecordings)[number];

const folder = new URL("../../testdata/", import.meta.url);

export function ftapBytes(name: TestRecording): Uint8Array {
  return new Uint8Array(readFileSync(new URL(`${name}.ftap`, folder)));
}

export function jsonProfile(name: TestRecording): JsonProfile {
  const text = readFileSync(new URL(`${name}.json`, folder), "utf8");
  const start = /"start_unix_ns": *(\d+)/.exec(text)?.[1] ?? "0"; // does not fit a double
  const parsed = JSON.parse(text);
  return { ...parsed, recording: { ...parsed.recording, start_unix_ns: BigInt(start) } };
}
