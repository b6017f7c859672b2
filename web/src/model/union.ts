// The functions of two recordings as one table: those with the same name, file and kind are one. Lines are not looked
// at: between two runs of a program, code moves.
import type { Recording } from "../recording/recording";

export interface Union {
  readonly recording: Recording; // the names of the functions, for whoever draws or searches; it has no samples
  readonly ofBefore: Uint32Array; // by function of the recording: its number here
  readonly ofAfter: Uint32Array;
}

export function unionOf(before: Recording, after: Recording): Union {
  const builder = new UnionBuilder();
  // What is in both has the lines of the later one, whose sources are shown.
  const ofAfter = builder.add(after);
  const ofBefore = builder.add(before);
  return { recording: builder.namesOnly(after), ofBefore, ofAfter };
}

class UnionBuilder {
  private readonly strings: string[] = [];
  private readonly stringNumbers = new Map<string, number>();
  private readonly functionNumbers = new Map<string, number>();
  private readonly name: number[] = [];
  private readonly file: number[] = [];
  private readonly firstLine: number[] = [];
  private readonly kind: number[] = [];
  private readonly module: number[] = [];

  /** The numbers of a recording's functions in the union. */
  add(recording: Recording): Uint32Array {
    const numbers = new Uint32Array(recording.functions.count);
    for (let i = 0; i < numbers.length; ++i) numbers[i] = this.addFunction(recording, i);
    return numbers;
  }

  private addFunction({ functions, strings }: Recording, i: number): number {
    const name = this.intern(strings[functions.name[i]]);
    const file = this.intern(strings[functions.file[i]]);
    const key = `${name} ${file} ${functions.kind[i]}`;
    const known = this.functionNumbers.get(key);
    if (known !== undefined) return known;
    const number = this.name.length;
    this.functionNumbers.set(key, number);
    this.name.push(name);
    this.file.push(file);
    this.firstLine.push(functions.firstLine[i]);
    this.kind.push(functions.kind[i]);
    this.module.push(this.intern(strings[functions.module[i]]));
    return number;
  }

  private intern(text: string): number {
    let number = this.stringNumbers.get(text);
    if (number === undefined) {
      this.stringNumbers.set(text, (number = this.strings.length));
      this.strings.push(text);
    }
    return number;
  }

  namesOnly(recording: Recording): Recording {
    const none = { count: 0, u32: new Uint32Array(0), f64: new Float64Array(0) };
    return {
      ...recording,
      strings: this.strings,
      functions: {
        count: this.name.length,
        name: Uint32Array.from(this.name),
        file: Uint32Array.from(this.file),
        firstLine: Int32Array.from(this.firstLine),
        kind: Uint8Array.from(this.kind),
        module: Uint32Array.from(this.module),
      },
      frames: { count: 0, function: none.u32, line: new Int32Array(0) },
      stacks: { count: 1, parent: new Uint32Array(1), frame: new Uint32Array(1) },
      processes: [],
      threads: [],
      samples: {
        count: 0,
        time: none.f64,
        weight: none.f64,
        ticks: none.f64,
        thread: none.u32,
        stack: none.u32,
        state: new Uint8Array(0),
      },
      sources: new Map(),
    };
  }
}
