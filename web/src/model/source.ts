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
  const files = new Map<number, FileSums>();
  const places = placesOf(tree, recording, files);
  addUp(tree, places);
  const sorted = [...files].map(([file, sums]) => sourceFile(file, sums));
  sorted.sort((a, b) => b.self - a.self || b.total - a.total || a.file - b.file);
  return { files: sorted, whole: tree.total[0], unit: tree.unit };
}

// Something that may stand on a stack several times and counts once.
interface Sum {
  self: number;
  total: number;
  onPath: number;
}

interface FileSums extends Sum {
  readonly lines: Map<number, Sum>;
}

interface Place {
  readonly file: FileSums;
  readonly line: Sum;
}

const newSum = (): Sum => ({ self: 0, total: 0, onPath: 0 });

// A native function without a known line names a library, which is no source.
function hasSource(recording: Recording, functionNumber: number, line: number): boolean {
  const { kind, file } = recording.functions;
  if (recording.strings[file[functionNumber]] === "") return false;
  return kind[functionNumber] === FrameKind.python || line > 0;
}

/** By node; undefined for those that are in no file. Nodes of the same line share their place. */
function placesOf(tree: CallTree, recording: Recording, files: Map<number, FileSums>): (Place | undefined)[] {
  const byFunction = new Map<number, Map<number, Place>>();
  const places: (Place | undefined)[] = new Array(tree.count).fill(undefined);
  for (let node = 1; node < tree.count; ++node) {
    const functionNumber = tree.function[node];
    if (functionNumber === noFunction || !hasSource(recording, functionNumber, tree.line[node])) continue;
    let lines = byFunction.get(functionNumber);
    if (lines === undefined) byFunction.set(functionNumber, (lines = new Map()));
    let place = lines.get(tree.line[node]);
    if (place === undefined) lines.set(tree.line[node], (place = newPlace(functionNumber, tree.line[node])));
    places[node] = place;
  }
  return places;

  function newPlace(functionNumber: number, number: number): Place {
    const path = recording.functions.file[functionNumber];
    let file = files.get(path);
    if (file === undefined) files.set(path, (file = { ...newSum(), lines: new Map() }));
    let line = file.lines.get(number);
    if (line === undefined) file.lines.set(number, (line = newSum()));
    return { file, line };
  }
}

function addUp(tree: CallTree, places: readonly (Place | undefined)[]): void {
  const path = new Uint32Array(tree.maxDepth + 1);
  let length = 0;
  for (let node = 1; node < tree.count; ++node) {
    for (; length >= tree.depth[node]; --length) leave(places[path[length]]);
    path[++length] = node;
    const place = places[node];
    if (place === undefined) continue;
    for (const sum of [place.file, place.line]) {
      sum.self += tree.self[node];
      if (sum.onPath++ === 0) sum.total += tree.total[node];
    }
  }
}

function leave(place: Place | undefined): void {
  if (place === undefined) return;
  --place.file.onPath;
  --place.line.onPath;
}

function sourceFile(file: number, sums: FileSums): SourceFile {
  const lines = [...sums.lines].sort(([a], [b]) => a - b);
  return {
    file,
    self: sums.self,
    total: sums.total,
    lines: Uint32Array.from(lines, ([line]) => line),
    lineSelf: Float64Array.from(lines, ([, sum]) => sum.self),
    lineTotal: Float64Array.from(lines, ([, sum]) => sum.total),
  };
}
