// From the rows of a file to tables in which every number leads somewhere. What no chunk says becomes "(lost)": never a
// guess. Where nothing is missing, which is nearly always, the tables are those of the file, without a copy.
import { FrameKind, type Frames, type Functions, type Process, type Recording, type Samples } from "./recording";
import type { Stacks, Thread } from "./recording";
import type { SampleTable } from "./sample_table";
import { noModule, type Tables } from "./tables";

const lost = "(lost)";

type SettledTables = Pick<
  Recording,
  "strings" | "functions" | "frames" | "stacks" | "processes" | "threads" | "samples"
>;

export interface Settled extends SettledTables {
  readonly namelessSamples: number; // that are there, but not all that they refer to
}

export function settle(tables: Tables, table: SampleTable): Settled {
  const samples = samplesOf(table);
  const isWhole = hasAllRows(tables) && hasAllThreads(tables, table) && table.highestStack < tables.stackRows.count;
  if (!isWhole) return new Mender(tables, samples).mended();
  return {
    strings: tables.strings,
    functions: functionsOf(tables),
    frames: framesOf(tables),
    stacks: stacksOf(tables),
    processes: tables.processes as Process[],
    threads: tables.threads as Thread[],
    samples,
    namelessSamples: 0,
  };
}

function hasAllRows(tables: Tables): boolean {
  const { stringRows, functionRows, frameRows, stackRows } = tables;
  if (![stringRows, functionRows, frameRows, stackRows].every((rows) => rows.complete)) return false;
  if (tables.highestString.value >= stringRows.count) return false;
  return tables.highestFunction.value < functionRows.count && tables.highestFrame.value < frameRows.count;
}

function hasAllThreads(tables: Tables, table: SampleTable): boolean {
  const { processes, threads } = tables;
  if (table.highestThread >= threads.length || processes.includes(undefined)) return false;
  return threads.every((thread) => thread !== undefined && thread.process < processes.length);
}

function functionsOf(tables: Tables): Functions {
  return {
    count: tables.functionRows.count,
    name: tables.functionName.view,
    file: tables.functionFile.view,
    firstLine: tables.functionFirstLine.view,
    kind: tables.functionKind.view,
    module: tables.functionModule.view,
  };
}

function framesOf(tables: Tables): Frames {
  return { count: tables.frameRows.count, function: tables.frameFunction.view, line: tables.frameLine.view };
}

function stacksOf(tables: Tables): Stacks {
  return { count: tables.stackRows.count, parent: tables.stackParent.view, frame: tables.stackFrame.view };
}

function samplesOf(table: SampleTable): Samples {
  return {
    count: table.count,
    time: table.time.view,
    weight: table.weight.view,
    ticks: table.ticks.view,
    thread: table.thread.view,
    stack: table.stack.view,
    state: table.state.view,
  };
}

// Copies of all tables, each with a row "(lost)" at its end, to which whatever leads nowhere is led.
class Mender {
  private readonly lostText: number;
  private readonly emptyText: number;
  private readonly lostFunction: number;
  private readonly lostFrame: number;
  private readonly lostStack: number;

  constructor(
    private readonly tables: Tables,
    private readonly samples: Samples,
  ) {
    this.lostText = tables.stringRows.count;
    this.emptyText = this.lostText + 1;
    this.lostFunction = tables.functionRows.count;
    this.lostFrame = tables.frameRows.count;
    this.lostStack = tables.stackRows.count;
  }

  mended(): Settled {
    const strings = [...this.tables.strings, lost, ""];
    const functions = this.functions();
    const frames = this.frames(functions);
    const { stacks, isLost } = this.stacks(frames);
    const threads = this.threads();
    const { samples, nameless } = this.mendedSamples(isLost);
    return { strings, functions, frames, stacks, ...threads, samples, namelessSamples: nameless };
  }

  // Name, file and module are one thing: a function of which one is missing is not known.
  private functions(): Functions {
    const { tables } = this;
    const functions = {
      count: this.lostFunction + 1,
      name: tables.functionName.copy(1),
      file: tables.functionFile.copy(1),
      firstLine: tables.functionFirstLine.copy(1),
      kind: tables.functionKind.copy(1),
      module: tables.functionModule.copy(1),
    };
    for (let i = 0; i < functions.count; ++i) {
      if (functions.module[i] === noModule) functions.module[i] = this.emptyText;
      const isText = (text: number) => tables.stringRows.has(text) || text === this.emptyText;
      const isKnown = tables.functionRows.has(i) && isText(functions.name[i]) && isText(functions.file[i]);
      if (isKnown && isText(functions.module[i])) continue;
      functions.name[i] = this.lostText;
      functions.file[i] = this.emptyText;
      functions.firstLine[i] = 0;
      functions.kind[i] = FrameKind.marker;
      functions.module[i] = this.emptyText;
    }
    return functions;
  }

  private frames(functions: Functions): Frames {
    const { tables } = this;
    const frames = { count: this.lostFrame + 1, function: tables.frameFunction.copy(1), line: tables.frameLine.copy(1) };
    for (let i = 0; i < frames.count; ++i) {
      const functionNumber = frames.function[i];
      const isKnown = tables.frameRows.has(i) && functionNumber < this.lostFunction;
      if (isKnown && functions.name[functionNumber] !== this.lostText) continue;
      frames.function[i] = this.lostFunction;
      frames.line[i] = 0;
    }
    return frames;
  }

  // One whose parent is lost stands on that.
  private stacks(frames: Frames): { stacks: Stacks; isLost: Uint8Array } {
    const { tables } = this;
    const count = this.lostStack + 1;
    const parent = tables.stackParent.copy(1);
    const frame = tables.stackFrame.copy(1);
    const isLost = new Uint8Array(count);
    for (let i = 1; i < count; ++i) {
      if (!tables.stackRows.has(i)) parent[i] = 0;
      if (!tables.stackRows.has(i) || frame[i] >= this.lostFrame) frame[i] = this.lostFrame;
      isLost[i] = isLost[parent[i]] === 1 || frames.function[frame[i]] === this.lostFunction ? 1 : 0;
    }
    return { stacks: { count, parent, frame }, isLost };
  }

  private threads(): { processes: Process[]; threads: Thread[] } {
    const lostProcess = { pid: 0, command: lost, python: "" };
    const processes = [...Array.from(this.tables.processes, (process) => process ?? lostProcess), lostProcess];
    const last = processes.length - 1;
    const lostThread = { process: last, id: 0n, name: lost };
    const threads = Array.from(this.tables.threads, (thread) => {
      if (thread === undefined) return lostThread;
      return thread.process < last ? thread : { ...thread, process: last };
    });
    return { processes, threads: [...threads, lostThread] };
  }

  private mendedSamples(isLost: Uint8Array): { samples: Samples; nameless: number } {
    const thread = this.samples.thread.slice();
    const stack = this.samples.stack.slice();
    const lostThread = this.tables.threads.length;
    let nameless = 0;
    for (let i = 0; i < this.samples.count; ++i) {
      if (stack[i] > this.lostStack) stack[i] = this.lostStack;
      if (thread[i] > lostThread) thread[i] = lostThread;
      nameless += isLost[stack[i]];
    }
    return { samples: { ...this.samples, thread, stack }, nameless };
  }
}
