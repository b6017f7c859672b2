import { describe, expect, it } from "vitest";
import { FtapReader, UnreadableRecording } from "./ftap_reader";
import type { Recording } from "./recording";
import { ftapBytes, type JsonProfile, jsonProfile, testRecordings } from "./test_recordings";

function read(bytes: Uint8Array, pieceBytes = bytes.length): Recording {
  const reader = new FtapReader("test.ftap");
  for (let at = 0; at < bytes.length; at += pieceBytes) reader.add(bytes.subarray(at, at + pieceBytes));
  return reader.recording();
}

/** A Recording in the words of the json format. */
function asJson(recording: Recording): Omit<JsonProfile, never> {
  const { counts, functions, frames, stacks, samples } = recording;
  return {
    recording: {
      start_unix_ns: recording.startUnixNs,
      duration_ns: recording.durationNs,
      rate_hz: recording.rateHz,
      mode: recording.mode,
      native: recording.native,
      ended: recording.ended,
      quality: {
        ticks: counts.ticks,
        missed_ticks: counts.missedTicks,
        steps: { free_running: counts.freeRunning, interrupted: counts.interrupted, ride_along: counts.rideAlong, paused: counts.paused },
        torn: counts.torn,
        unreadable: counts.unreadable,
        no_frames: counts.noFrames,
        truncated: counts.truncated,
        median_sample_ns: counts.medianSampleNs,
        slowest_sample_ns: counts.slowestSampleNs,
        unmerged: counts.unmerged,
        native_truncated: counts.nativeTruncated,
        guessed: counts.guessed,
        median_stop_ns: counts.medianStopNs,
        more: Object.fromEntries(counts.more),
      },
    },
    processes: [...recording.processes],
    threads: recording.threads.map((thread) => ({ ...thread, id: Number(thread.id) })),
    strings: [...recording.strings],
    functions: {
      name: [...functions.name],
      file: [...functions.file],
      first_line: [...functions.firstLine],
      kind: [...functions.kind],
      module: [...functions.module],
    },
    frames: { function: [...frames.function], line: [...frames.line] },
    stacks: { parent: [...stacks.parent.subarray(1)], frame: [...stacks.frame.subarray(1)] },
    samples: {
      time_ns: [...samples.time],
      weight_ns: [...samples.weight],
      thread: [...samples.thread],
      stack: [...samples.stack],
      ticks: [...samples.ticks],
      state: [...samples.state],
    },
  };
}

describe.each(testRecordings)("the recording %s", (name) => {
  it("is read as flametap reads it", () => {
    const { flametap, ...expected } = jsonProfile(name) as JsonProfile & { flametap: number };
    expect(flametap).toBeGreaterThan(0);
    const recording = read(ftapBytes(name));
    expect(asJson(recording)).toEqual(expected);
    expect(recording.damage).toEqual([]);
    expect(recording.complete).toBe(true);
  });

  it.each([1, 7, 33, 1000])("is the same in pieces of %i bytes", (pieceBytes) => {
    expect(asJson(read(ftapBytes(name), pieceBytes))).toEqual(asJson(read(ftapBytes(name))));
  });
});

describe("what is no recording", () => {
  it.each([
    ["nothing", new Uint8Array(0), "It is empty."],
    ["text", new TextEncoder().encode("a".repeat(1000)), "It is no recording of flametap."],
    ["a header alone", ftapBytes("threads").subarray(0, 24), "There is no whole chunk"],
  ])("%s", (_, bytes, message) => {
    expect(() => read(bytes, 100)).toThrow(UnreadableRecording);
    expect(() => read(bytes, 100)).toThrow(message);
  });
});
