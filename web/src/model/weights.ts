// What the samples of a Selection weigh. Every view asks here which samples count and how much of them, so that all of
// them agree.
import { type Recording, State } from "../recording/recording";
import type { Unit } from "./call_tree";
import type { Mode, Selection } from "./selection";

interface Bits {
  readonly some: number; // it has one of these; 0: it need not
  readonly none: number; // and none of these
}

/** Which samples are in a mode, by the bits of their state. As profile::in_mode (src/profile/filter.cc). */
const bitsOfMode: Record<Mode, Bits> = {
  wall: { some: 0, none: 0 },
  cpu: { some: State.onCpu | State.holdsGil, none: State.ready | State.asleepWithGil },
  gil: { some: State.holdsGil, none: 0 },
  ready: { some: State.ready, none: 0 },
};

export function inMode(state: number, mode: Mode): boolean {
  const { some, none } = bitsOfMode[mode];
  return (some === 0 || (state & some) !== 0) && (state & none) === 0;
}

/** Why a mode cannot be chosen, or null if it can: a recording of fewer samples cannot show more. */
export function whyNotMode(recording: Recording, mode: Mode): string | null {
  if (recording.mode === mode) return null;
  if (recording.mode === "unknown") {
    return mode === "wall" ? null : "the profile does not say what its threads were doing";
  }
  if (recording.mode === "wall") return null;
  return `the profile holds only samples of mode ${recording.mode}: record with --mode ${mode}`;
}

/** The least mode that the recording has all samples of. */
export function widestMode(recording: Recording): Mode {
  return recording.mode === "unknown" ? "wall" : recording.mode;
}

/** Nanoseconds, unless the recording knows only how often it looked. */
export function unitOf(recording: Recording): Unit {
  const { weight, count } = recording.samples;
  for (let i = 0; i < count; ++i) {
    if (weight[i] > 0) return "nanoseconds";
  }
  return "samples";
}

/** Tells of each sample how much of it is selected. */
export class SampleWeigher {
  readonly unit: Unit;
  private readonly values: Float64Array;
  private readonly wantedThreads: Uint8Array;

  constructor(
    private readonly recording: Recording,
    private readonly selection: Selection,
  ) {
    this.unit = unitOf(recording);
    this.values = this.unit === "nanoseconds" ? recording.samples.weight : recording.samples.ticks;
    this.wantedThreads = wantedThreads(recording, selection);
  }

  /** In the unit; 0 if it is not selected. */
  weight(sample: number): number {
    const { thread, state } = this.recording.samples;
    if (this.wantedThreads[thread[sample]] === 0) return 0;
    if (!inMode(state[sample], this.selection.mode)) return 0;
    const time = this.selection.time;
    return time === null ? this.values[sample] : this.values[sample] * this.shareWithin(sample, time[0], time[1]);
  }

  // A sample stands for a stretch of time, of which a part may be selected.
  private shareWithin(sample: number, from: number, to: number): number {
    const start = this.recording.samples.time[sample];
    const length = this.recording.samples.weight[sample];
    if (length === 0) return start >= from && start < to ? 1 : 0;
    const overlap = Math.min(start + length, to) - Math.max(start, from);
    return overlap <= 0 ? 0 : overlap / length;
  }
}

function wantedThreads(recording: Recording, selection: Selection): Uint8Array {
  const { threads, processes } = selection;
  const wanted = new Uint8Array(recording.threads.length);
  const wantedProcesses = processes === null ? null : new Set(processes);
  const wantedNumbers = threads === null ? null : new Set(threads);
  recording.threads.forEach((thread, number) => {
    const inProcess = wantedProcesses === null || wantedProcesses.has(thread.process);
    const inThreads = wantedNumbers === null || wantedNumbers.has(number);
    wanted[number] = inProcess && inThreads ? 1 : 0;
  });
  return wanted;
}

export interface Weights {
  readonly unit: Unit;
  readonly byStack: Float64Array; // of the samples that ended there; of stack 0: of those without frames
  readonly inGc: Float64Array;
  readonly waitingForGil: Float64Array;
  readonly total: number;
  readonly wallTotal: number; // what the same threads and times weigh in wall mode, as far as it was recorded
  readonly shareOfWall: number; // total / wallTotal, 0 if there is nothing
}

export function weightsOf(recording: Recording, selection: Selection): Weights {
  const { samples, stacks } = recording;
  const weigher = new SampleWeigher(recording, { ...selection, mode: "wall" });
  const byStack = new Float64Array(stacks.count);
  const inGc = new Float64Array(stacks.count);
  const waitingForGil = new Float64Array(stacks.count);
  let total = 0;
  let wallTotal = 0;
  for (let i = 0; i < samples.count; ++i) {
    const weight = weigher.weight(i);
    if (weight === 0) continue;
    wallTotal += weight;
    const state = samples.state[i];
    if (!inMode(state, selection.mode)) continue;
    const stack = samples.stack[i];
    total += weight;
    byStack[stack] += weight;
    if ((state & State.inGc) !== 0) inGc[stack] += weight;
    if ((state & State.waitsForGil) !== 0) waitingForGil[stack] += weight;
  }
  const shareOfWall = wallTotal > 0 ? total / wallTotal : 0;
  return { unit: weigher.unit, byStack, inGc, waitingForGil, total, wallTotal, shareOfWall };
}


/** What each thread weighs, whichever threads and processes are selected: for the list to select from. */
export function weightsByThread(recording: Recording, selection: Selection): Float64Array {
  const weigher = new SampleWeigher(recording, { ...selection, threads: null, processes: null });
  const totals = new Float64Array(recording.threads.length);
  const { thread, count } = recording.samples;
  for (let i = 0; i < count; ++i) totals[thread[i]] += weigher.weight(i);
  return totals;
}
