// StackSums: what samples weigh, by the stack that they ended in. Made to be used for one thread after the other: what
// was not touched costs nothing, neither to go through nor to clear.
import { type Recording, State } from "../recording/recording";

export class StackSums {
  readonly weight: Float64Array;
  readonly inGc: Float64Array;
  readonly waitingForGil: Float64Array;
  private readonly touchedStacks: Uint32Array;
  private touchedCount = 0;

  constructor(private readonly recording: Recording) {
    const count = recording.stacks.count;
    this.weight = new Float64Array(count);
    this.inGc = new Float64Array(count);
    this.waitingForGil = new Float64Array(count);
    this.touchedStacks = new Uint32Array(count);
  }

  /** `weight` is above 0; `stack` is where it counts. */
  add(sample: number, stack: number, weight: number): void {
    if (this.weight[stack] === 0) this.touchedStacks[this.touchedCount++] = stack;
    this.weight[stack] += weight;
    const state = this.recording.samples.state[sample];
    if ((state & State.inGc) !== 0) this.inGc[stack] += weight;
    if ((state & State.waitsForGil) !== 0) this.waitingForGil[stack] += weight;
  }

  /** The stacks that weigh something. */
  get touched(): Uint32Array {
    return this.touchedStacks.subarray(0, this.touchedCount);
  }

  clear(): void {
    for (const stack of this.touched) {
      this.weight[stack] = 0;
      this.inGc[stack] = 0;
      this.waitingForGil[stack] = 0;
    }
    this.touchedCount = 0;
  }
}
