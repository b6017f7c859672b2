// RecordingBuilder: makes small Recordings for tests, and large ones for benchmarks, by hand.
import { f64Column, i32Column, u32Column, u8Column } from "./column";
import { FrameKind, type Process, type Recording, State, type Thread } from "./recording";
import { nothingSaid } from "./recording_section";

export interface TestFunction {
  readonly name: string;
  readonly file?: string;
  readonly kind?: number;
  readonly firstLine?: number;
}

export interface TestSample {
  readonly weight?: number;
  readonly ticks?: number;
  readonly thread?: number;
  readonly time?: number;
  readonly state?: number;
}

export class RecordingBuilder {
  private readonly strings: string[] = [];
  private readonly numbers = new Map<string, number>();
  private readonly name = u32Column();
  private readonly file = u32Column();
  private readonly firstLine = i32Column();
  private readonly kind = u8Column();
  private readonly frameFunction = u32Column();
  private readonly frameLine = i32Column();
  private readonly parent = u32Column();
  private readonly frame = u32Column();
  private readonly time = f64Column();
  private readonly weight = f64Column();
  private readonly ticks = f64Column();
  private readonly thread = u32Column();
  private readonly stack = u32Column();
  private readonly state = u8Column();
  private readonly processes: Process[] = [];
  private readonly threads: Thread[] = [];
  private now = 0;

  constructor() {
    this.text("");
    push(this.parent, 0);
    push(this.frame, 0);
  }

  addProcess(pid: number, command: string): number {
    return this.processes.push({ pid, command, python: "3.11.2" }) - 1;
  }

  addThread(process: number, id: number, name: string): number {
    return this.threads.push({ process, id: BigInt(id), name }) - 1;
  }

  addFunction({ name, file = "app.py", kind = FrameKind.python, firstLine = 1 }: TestFunction): number {
    push(this.name, this.text(name));
    push(this.file, this.text(file));
    push(this.firstLine, firstLine);
    return push(this.kind, kind);
  }

  addFrame(functionNumber: number, line: number): number {
    push(this.frameFunction, functionNumber);
    return push(this.frameLine, line);
  }

  addStack(parent: number, frame: number): number {
    push(this.parent, parent);
    return push(this.frame, frame);
  }

  addSample(stack: number, sample: TestSample = {}): void {
    const { weight = 1, ticks = 1, thread = 0, time = this.now, state = State.onCpu | State.holdsGil } = sample;
    push(this.time, time);
    push(this.weight, weight);
    push(this.ticks, ticks);
    push(this.thread, thread);
    push(this.stack, stack);
    push(this.state, state);
    this.now = time + weight;
  }

  get recording(): Recording {
    return {
      name: "test.ftap",
      ...nothingSaid,
      mode: "wall",
      durationNs: this.now,
      complete: true,
      damage: [],
      strings: this.strings,
      functions: {
        count: this.name.length,
        name: this.name.view,
        file: this.file.view,
        firstLine: this.firstLine.view,
        kind: this.kind.view,
        module: new Uint32Array(this.name.length),
      },
      frames: { count: this.frameLine.length, function: this.frameFunction.view, line: this.frameLine.view },
      stacks: { count: this.parent.length, parent: this.parent.view, frame: this.frame.view },
      processes: this.processes,
      threads: this.threads,
      samples: {
        count: this.time.length,
        time: this.time.view,
        weight: this.weight.view,
        ticks: this.ticks.view,
        thread: this.thread.view,
        stack: this.stack.view,
        state: this.state.view,
      },
      sources: new Map(),
    };
  }

  private text(text: string): number {
    let number = this.numbers.get(text);
    if (number === undefined) this.numbers.set(text, (number = this.strings.push(text) - 1));
    return number;
  }
}

interface Pushable {
  length: number;
  resize(length: number): void;
  readonly room: { [row: number]: number };
}

function push(column: Pushable, value: number): number {
  const row = column.length;
  column.resize(row + 1);
  column.room[row] = value;
  return row;
}

/**
 * A recording of samples written as "main a:3 b" (functions from the outermost on, perhaps with a line), each with its
 * weight. Functions called `lib_...`, `std_...`, `c_...` and `sys_...` come from where their names say.
 */
export function recordingOf(samples: readonly (readonly [stack: string, sample: TestSample])[]): Recording {
  const builder = new RecordingBuilder();
  builder.addProcess(7, "python3 app.py");
  builder.addThread(0, 7, "MainThread");
  builder.addThread(0, 8, "worker");
  const functions = new Map<string, number>();
  const frames = new Map<string, number>();
  const stacks = new Map<string, number>();
  for (const [text, sample] of samples) {
    let stack = 0;
    for (const word of text.split(" ").filter((part) => part !== "")) {
      const [name, line = "0"] = word.split(":");
      const functionNumber = known(functions, name, () => builder.addFunction(functionCalled(name)));
      const frame = known(frames, word, () => builder.addFrame(functionNumber, Number(line)));
      const parent = stack;
      stack = known(stacks, `${parent} ${frame}`, () => builder.addStack(parent, frame));
    }
    builder.addSample(stack, sample);
  }
  return builder.recording;
}

function known(map: Map<string, number>, key: string, make: () => number): number {
  let number = map.get(key);
  if (number === undefined) map.set(key, (number = make()));
  return number;
}

function functionCalled(name: string): TestFunction {
  if (name.startsWith("lib_")) return { name, file: "/venv/lib/python3.11/site-packages/lib.py" };
  if (name.startsWith("std_")) return { name, file: "/usr/lib/python3.11/json.py" };
  if (name.startsWith("c_")) return { name, file: "/usr/lib/libc.so", kind: FrameKind.native };
  if (name.startsWith("sys_")) return { name, file: "[kernel]", kind: FrameKind.kernel };
  return { name };
}
