// Columns of pixels that stand side by side in a row, put together: painting a wide one costs as much as painting a narrow
// one.

export type Run = readonly [row: number, from: number, to: number];

export class Runs {
  private readonly done: Run[] = [];
  private readonly open = new Map<number, { from: number; to: number }>();

  /** Columns of a row come in order. */
  add(row: number, column: number): void {
    const run = this.open.get(row);
    if (run === undefined) {
      this.open.set(row, { from: column, to: column + 1 });
    } else if (run.to === column) {
      run.to = column + 1;
    } else {
      this.done.push([row, run.from, run.to]);
      run.from = column;
      run.to = column + 1;
    }
  }

  all(): readonly Run[] {
    return [...this.done, ...Array.from(this.open, ([row, { from, to }]): Run => [row, from, to])];
  }
}
