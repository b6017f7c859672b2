// The samples of one thread as stretches of time, in order and without overlap: as src/format/timeline.cc makes them, so
// that the page and the other formats about time agree.
import type { Recording } from "../recording/recording";
import { unitOf } from "./weights";

export interface Timeline {
  readonly sample: Uint32Array;
  readonly start: Float64Array; // nanoseconds
  readonly end: Float64Array;
}

const tickOfUnknownLengthNs = 1e6;

/** `samples` are those of the thread. */
export function timelineOf(recording: Recording, samples: Uint32Array): Timeline {
  const { time } = recording.samples;
  const sorted = isSorted(time, samples) ? samples : samples.slice().sort((a, b) => time[a] - time[b] || a - b);
  const isTimed = unitOf(recording) === "nanoseconds";
  if (!isTimed || !hasTimes(time, sorted)) return oneAfterTheOther(recording, sorted, isTimed);
  return byTime(recording, sorted);
}

function isSorted(time: Float64Array, samples: Uint32Array): boolean {
  return samples.every((sample, i) => i === 0 || time[samples[i - 1]] <= time[sample]);
}

// A thread has one sample at a time: where two have the same, nobody wrote down when they were taken.
function hasTimes(time: Float64Array, sorted: Uint32Array): boolean {
  return sorted.every((sample, i) => i === 0 || time[sorted[i - 1]] !== time[sample]);
}

function oneAfterTheOther(recording: Recording, samples: Uint32Array, isTimed: boolean): Timeline {
  const { weight, ticks } = recording.samples;
  const start = new Float64Array(samples.length);
  const end = new Float64Array(samples.length);
  let now = 0;
  samples.forEach((sample, i) => {
    start[i] = now;
    now += isTimed ? weight[sample] : ticks[sample] * tickOfUnknownLengthNs;
    end[i] = now;
  });
  return { sample: samples, start, end };
}

// A stretch goes on to the start of the next one, unless the gap is longer than a tick: then it ends when its own time is
// over.
function byTime(recording: Recording, samples: Uint32Array): Timeline {
  const { time, weight, ticks } = recording.samples;
  const tickNs = (sample: number) => (ticks[sample] === 0 ? 0 : Math.floor(weight[sample] / ticks[sample]));
  const start = Float64Array.from(samples, (sample) => time[sample]);
  const end = Float64Array.from(samples, (sample) => time[sample] + weight[sample]);
  for (let i = 1; i < samples.length; ++i) {
    const tick = Math.max(tickNs(samples[i - 1]), tickNs(samples[i]));
    if (end[i - 1] + tick >= start[i]) end[i - 1] = start[i];
  }
  return { sample: samples, start, end };
}
