// Column: numbers that grow in number. What was handed out stays as it was: growing makes a new array, and rows in it
// are written once.

type Numbers = Uint8Array | Uint32Array | Int32Array | Float64Array;

export class Column<T extends Numbers> {
  length = 0;
  private values: T;

  constructor(private readonly make: (length: number) => T) {
    this.values = make(8);
  }

  /** Makes room for rows up to `length`; new ones are 0. */
  resize(length: number): void {
    this.length = length;
    if (length <= this.values.length) return;
    const larger = this.make(Math.max(length, this.values.length * 2));
    larger.set(this.values);
    this.values = larger;
  }

  /** All rows there is room for: to write into. Good until the next resize. */
  get room(): T {
    return this.values;
  }

  /** The rows that are there. Shares the memory. */
  get view(): T {
    return this.values.subarray(0, this.length) as T;
  }

  /** The rows and `more` zeros, in memory of its own. */
  copy(more: number): T {
    const copied = this.make(this.length + more);
    copied.set(this.view);
    return copied;
  }
}

export const u8Column = () => new Column((length) => new Uint8Array(length));
export const u32Column = () => new Column((length) => new Uint32Array(length));
export const i32Column = () => new Column((length) => new Int32Array(length));
export const f64Column = () => new Column((length) => new Float64Array(length));
