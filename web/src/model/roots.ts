// The roots of a tree and the samples below each: one for all, or one for each thread, below its process if there are
// several.
import type { Recording } from "../recording/recording";
import { processLabel, threadLabel } from "./labels";
import type { Selection } from "./selection";

export interface Root {
  readonly labels: readonly number[]; // from the outermost one on; not that of the tree's own root
  readonly samples: Uint32Array;
}

export interface Roots {
  readonly roots: readonly Root[];
  readonly labels: readonly string[];
}

const everythingLabel = "all";

export function rootsOf(recording: Recording, selection: Selection): Roots {
  if (!selection.byThread) {
    return { roots: [{ labels: [], samples: allSamples(recording) }], labels: [everythingLabel] };
  }
  const labels = [everythingLabel, ...recording.processes.map(processLabel), ...recording.threads.map(threadLabel)];
  const firstThread = 1 + recording.processes.length;
  const manyProcesses = recording.processes.length > 1;
  const samples = samplesByThread(recording);
  const roots = recording.threads.map((thread, number) => {
    const below = manyProcesses ? [1 + thread.process] : [];
    return { labels: [...below, firstThread + number], samples: samples[number] };
  });
  return { roots, labels };
}

function allSamples(recording: Recording): Uint32Array {
  const numbers = new Uint32Array(recording.samples.count);
  for (let i = 0; i < numbers.length; ++i) numbers[i] = i;
  return numbers;
}

/** The samples of each thread, in the order of the file. */
export function samplesByThread(recording: Recording): Uint32Array[] {
  const { count, thread } = recording.samples;
  const next = new Uint32Array(recording.threads.length + 1);
  for (let i = 0; i < count; ++i) ++next[thread[i] + 1];
  for (let i = 0; i < recording.threads.length; ++i) next[i + 1] += next[i];
  const starts = next.slice();
  const sorted = new Uint32Array(count);
  for (let i = 0; i < count; ++i) sorted[next[thread[i]]++] = i;
  return recording.threads.map((_, number) => sorted.subarray(starts[number], starts[number + 1]));
}
