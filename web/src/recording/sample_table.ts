// SampleTable: the samples of all chunks, in the order of the file.
import { f64Column, u32Column, u8Column } from "./column";
import type { Cursor } from "./cursor";

const maxSum = 2 ** 63; // what every other format can hold
const noNumber = 0xffffffff;

interface Section {
  readonly first: number;
  readonly count: number;
  readonly timeUnit: number;
  readonly weightPerTick: number;
  readonly time: number;
  readonly steps: Float64Array;
  readonly thread: Float64Array;
  readonly stack: Float64Array;
  readonly ticks: Float64Array;
  readonly state: Float64Array;
  readonly extraWeight: Float64Array;
}

export class SampleTable {
  readonly time = f64Column();
  readonly weight = f64Column();
  readonly ticks = f64Column();
  readonly thread = u32Column();
  readonly stack = u32Column();
  readonly state = u8Column();
  count = 0;
  lost = 0; // that stood in chunks which are gone
  highestThread = -1;
  highestStack = -1;
  private expectedFirst = 0;
  private totalTicks = 0;
  private totalWeight = 0;

  /** False if it cannot be true; samples in front of what is wrong are there. */
  read(cursor: Cursor): boolean {
    const section = takeSection(cursor);
    if (section === null || section.first < this.expectedFirst) return false;
    this.lost += section.first - this.expectedFirst;
    this.expectedFirst = section.first + section.count;
    const before = this.count;
    this.resize(before + section.count);
    let time = section.time;
    for (let i = 0; i < section.count; ++i) {
      time += section.steps[i];
      if (!this.put(before + i, section, i, time * section.timeUnit)) break;
      ++this.count;
    }
    this.resize(this.count);
    return this.count === before + section.count;
  }

  private put(row: number, section: Section, i: number, time: number): boolean {
    const ticks = section.ticks[i];
    const weight = ticks * section.weightPerTick + section.extraWeight[i];
    const thread = section.thread[i];
    const stack = section.stack[i];
    const state = section.state[i];
    if (!(time >= 0 && time < maxSum) || !(ticks >= 0) || !(weight >= 0)) return false;
    if (!isNumber(thread) || !isNumber(stack) || state < 0 || state > 255) return false;
    if (this.totalTicks + ticks >= maxSum || this.totalWeight + weight >= maxSum) return false;
    this.totalTicks += ticks;
    this.totalWeight += weight;
    this.time.room[row] = time;
    this.weight.room[row] = weight;
    this.ticks.room[row] = ticks;
    this.thread.room[row] = thread;
    this.stack.room[row] = stack;
    this.state.room[row] = state;
    if (thread > this.highestThread) this.highestThread = thread;
    if (stack > this.highestStack) this.highestStack = stack;
    return true;
  }

  private resize(count: number): void {
    for (const column of [this.time, this.weight, this.ticks]) column.resize(count);
    for (const column of [this.thread, this.stack]) column.resize(count);
    this.state.resize(count);
  }
}

function isNumber(value: number): boolean {
  return value >= 0 && value < noNumber;
}

function takeSection(cursor: Cursor): Section | null {
  const first = Number(cursor.u64());
  const count = cursor.u32();
  const timeUnit = cursor.u32();
  const weightPerTick = Number(cursor.u64());
  const time = Number(cursor.u64());
  const [steps, thread, stack, ticks, state, extraWeight] = [0, 1, 2, 3, 4, 5].map(() => cursor.column(count));
  if (!cursor.ok || timeUnit === 0) return null;
  return { first, count, timeUnit, weightPerTick, time, steps, thread, stack, ticks, state, extraWeight };
}
