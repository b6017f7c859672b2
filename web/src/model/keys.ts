// Keys: what the children of a node are told apart by, as numbers that compare in the order in which they are drawn: a
// function, or a function and a line, by name; behind them the labels of threads and processes.
import type { Frames, Recording } from "../recording/recording";
import { noFunction } from "./call_tree";

export interface Keys {
  readonly count: number; // keys are 0 ... count - 1
  readonly ofFrame: Uint32Array; // the key of a frame
  readonly function: Uint32Array; // by key; noFunction: a label
  readonly line: Int32Array; // by key
  readonly firstLabel: number; // label i has the key firstLabel + i
  readonly labels: readonly string[]; // the first one is that of the root
}

// Names do not change while selections do, and sorting them takes longer than all the rest.
const functionRanks = new WeakMap<Uint32Array, Uint32Array>();
const frameRanks = new WeakMap<Frames, Uint32Array>();

/** The place of each function in the order by name, then file, first line and kind. */
export function rankFunctions(recording: Recording): Uint32Array {
  const { count, name, file, firstLine, kind } = recording.functions;
  let ranks = functionRanks.get(name);
  if (ranks !== undefined) return ranks;
  const text = recording.strings;
  const byText = (a: number, b: number) => (a === b ? 0 : text[a] < text[b] ? -1 : text[a] > text[b] ? 1 : 0);
  const order = Uint32Array.from({ length: count }, (_, i) => i).sort(
    (a, b) =>
      byText(name[a], name[b]) ||
      byText(file[a], file[b]) ||
      firstLine[a] - firstLine[b] ||
      kind[a] - kind[b] ||
      a - b,
  );
  ranks = inverse(order);
  functionRanks.set(name, ranks);
  return ranks;
}

function rankFrames(recording: Recording): Uint32Array {
  const { count, function: functionOf, line } = recording.frames;
  let ranks = frameRanks.get(recording.frames);
  if (ranks !== undefined) return ranks;
  const functionRank = rankFunctions(recording);
  const order = Uint32Array.from({ length: count }, (_, i) => i).sort(
    (a, b) => functionRank[functionOf[a]] - functionRank[functionOf[b]] || line[a] - line[b] || a - b,
  );
  ranks = inverse(order);
  frameRanks.set(recording.frames, ranks);
  return ranks;
}

function inverse(order: Uint32Array): Uint32Array {
  const places = new Uint32Array(order.length);
  for (let i = 0; i < order.length; ++i) places[order[i]] = i;
  return places;
}

export function keysOf(recording: Recording, byLine: boolean, labels: readonly string[]): Keys {
  return byLine ? keysByLine(recording, labels) : keysByFunction(recording, labels);
}

function keysByFunction(recording: Recording, labels: readonly string[]): Keys {
  const rank = rankFunctions(recording);
  const { count, function: functionOf } = recording.frames;
  const ofFrame = new Uint32Array(count);
  for (let frame = 0; frame < count; ++frame) ofFrame[frame] = rank[functionOf[frame]];
  const keys = emptyKeys(recording.functions.count, ofFrame, labels);
  for (let i = 0; i < recording.functions.count; ++i) keys.function[rank[i]] = i;
  return keys;
}

function keysByLine(recording: Recording, labels: readonly string[]): Keys {
  const ofFrame = rankFrames(recording);
  const { count, function: functionOf, line } = recording.frames;
  const keys = emptyKeys(count, ofFrame, labels);
  for (let frame = 0; frame < count; ++frame) {
    keys.function[ofFrame[frame]] = functionOf[frame];
    keys.line[ofFrame[frame]] = line[frame];
  }
  return keys;
}

function emptyKeys(firstLabel: number, ofFrame: Uint32Array, labels: readonly string[]): Keys {
  const count = firstLabel + labels.length;
  const keys = { count, ofFrame, function: new Uint32Array(count), line: new Int32Array(count), firstLabel, labels };
  keys.function.fill(noFunction, firstLabel);
  return keys;
}
