// Source: what each line of each file took, itself and with all that it called.
import { FrameKind, type Recording } from "../recording/recording";
import { buildTree } from "./build_tree";
import { type CallTree, noFunction, type Unit } from "./call_tree";
import type { Selection } from "./selection";

export interface SourceFile {
  readonly file: number; // a string
  readonly self: number;
  readonly total: number; // while any line of it was on the stack; once
  readonly lines: Uint32Array; // in order; 0: a line that is not known
  readonly lineSelf: Float64Array;
  readonly lineTotal: Float64Array; // while the line was on the stack; once
}

export interface SourceHeat {
  readonly files: readonly SourceFile[]; // by self, then total
  readonly whole: number; // what everything weighs
  readonly unit: Unit;
}

export function sourceHeat(recording: Recording, selection: Selection): SourceHeat {
  const tree = buildTree(recording, { ...selection, byLine: true, inverted: false });
  const places = new Places(recording);
  const placeOf = places.ofNodes(tree);
  const lines = new OnceSums(places.count);
  const files = new OnceSums(places.files.length);
  const path = new Uint32Array(tree.maxDepth + 1);
  let length = 0;
  for (let node = 1; node < tree.count; ++node) {
    for (; length >= tree.depth[node]; --length) leave(placeOf[path[length]]);
    path[++length] = node;
    const place = placeOf[node];
    if (place === noPlace) continue;
    lines.enter(place, tree.self[node], tree.total[node]);
    files.enter(places.fileOf[place], tree.self[node], tree.total[node]);
  }
  const sorted = places.files.map((_, file) => sourceFile(places, file, files, lines));
  sorted.sort((a, b) => b.self - a.self || b.total - a.total || a.file - b.file);
  return { files: sorted, whole: tree.total[0], unit: tree.unit };

  function leave(place: number): void {
    if (place === noPlace) return;
    lines.leave(place);
    files.leave(places.fileOf[place]);
  }
}

const noPlace = -1;

// Sums of what may stand on a stack several times and counts once.
class OnceSums {
  readonly self: Float64Array;
  readonly total: Float64Array;
  private readonly onPath: Uint32Array;

  constructor(count: number) {
    this.self = new Float64Array(count);
    this.total = new Float64Array(count);
    this.onPath = new Uint32Array(count);
  }

  enter(what: number, self: number, total: number): void {
    this.self[what] += self;
    if (this.onPath[what]++ === 0) this.total[what] += total;
  }

  leave(what: number): void {
    --this.onPath[what];
  }
}

// The lines that a tree has, as numbers.
class Places {
  readonly files: number[] = []; // the string of each file
  readonly fileOf: number[] = []; // by place: which of the files
  readonly lineOf: number[] = []; // by place
  private readonly fileNumbers = new Map<number, number>(); // by string
  private readonly byFile: Map<number, number>[] = []; // by line

  constructor(private readonly recording: Recording) {}

  get count(): number {
    return this.lineOf.length;
  }

  /** The place of each node, or noPlace. */
  ofNodes(tree: CallTree): Int32Array {
    const places = new Int32Array(tree.count).fill(noPlace);
    for (let node = 1; node < tree.count; ++node) {
      const functionNumber = tree.function[node];
      const line = tree.line[node];
      if (functionNumber === noFunction || !this.hasSource(functionNumber, line)) continue;
      places[node] = this.place(this.recording.functions.file[functionNumber], line);
    }
    return places;
  }

  // A native function without a known line names a library, which is no source.
  private hasSource(functionNumber: number, line: number): boolean {
    const { kind, file } = this.recording.functions;
    if (kind[functionNumber] !== FrameKind.python && line === 0) return false;
    return this.recording.strings[file[functionNumber]] !== "";
  }

  private place(path: number, line: number): number {
    let file = this.fileNumbers.get(path);
    if (file === undefined) {
      this.fileNumbers.set(path, (file = this.files.push(path) - 1));
      this.byFile.push(new Map());
    }
    const lines = this.byFile[file];
    let place = lines.get(line);
    if (place === undefined) {
      lines.set(line, (place = this.lineOf.push(line) - 1));
      this.fileOf.push(file);
    }
    return place;
  }

  /** In the order of their lines. */
  ofFile(file: number): number[] {
    return [...this.byFile[file]].sort(([a], [b]) => a - b).map(([, place]) => place);
  }
}

function sourceFile(places: Places, file: number, files: OnceSums, lines: OnceSums): SourceFile {
  const ofFile = places.ofFile(file);
  return {
    file: places.files[file],
    self: files.self[file],
    total: files.total[file],
    lines: Uint32Array.from(ofFile, (place) => places.lineOf[place]),
    lineSelf: Float64Array.from(ofFile, (place) => lines.self[place]),
    lineTotal: Float64Array.from(ofFile, (place) => lines.total[place]),
  };
}
