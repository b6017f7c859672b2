// The tables that the chunks of an .ftap file add up to, by the numbers in the file, whatever chunks are missing. What a
// row refers to may stand in a later chunk, or nowhere: see settle.ts.
//
// A section that cannot be true changes nothing, and says so.
import { maxExpansion } from "./chunk";
import { type Column, i32Column, u32Column, u8Column } from "./column";
import type { Cursor } from "./cursor";
import { FrameKind, type Process, type Thread } from "./recording";

const lastKind = Math.max(...Object.values(FrameKind));
const maxRows = 1 << 24;
const maxThreads = 1 << 20; // and processes
const noNumber = 0xffffffff;
const int32Limit = 2 ** 31;
/** Stands for the module of a function from a file that has none. */
export const noModule = noNumber;

/** Which rows are there: rows may come in any order. */
export class RowSet {
  count = 0; // up to the last one that is there
  private missing = 0;
  private readonly known = u8Column();

  has(row: number): boolean {
    return row < this.count && this.known.room[row] === 1;
  }

  get complete(): boolean {
    return this.missing === 0;
  }

  extend(count: number): void {
    if (count <= this.count) return;
    this.missing += count - this.count;
    this.count = count;
    this.known.resize(count);
  }

  /** False if it is there already: the first one counts. */
  add(row: number): boolean {
    if (this.known.room[row] === 1) return false;
    this.known.room[row] = 1;
    this.missing -= 1;
    return true;
  }
}

interface Range {
  readonly first: number;
  readonly count: number;
}

/** The largest number that a column of references has. */
class Highest {
  value = -1;
  note(number: number): void {
    if (number > this.value) this.value = number;
  }
}

export class Tables {
  readonly stringRows = new RowSet();
  readonly strings: string[] = [];

  readonly functionRows = new RowSet();
  readonly functionName = u32Column();
  readonly functionFile = u32Column();
  readonly functionFirstLine = i32Column();
  readonly functionKind = u8Column();
  readonly functionModule = u32Column();
  readonly highestString = new Highest();

  readonly frameRows = new RowSet();
  readonly frameFunction = u32Column();
  readonly frameLine = i32Column();
  readonly highestFunction = new Highest();

  readonly stackRows = new RowSet();
  readonly stackParent = u32Column();
  readonly stackFrame = u32Column();
  readonly highestFrame = new Highest();

  readonly processes: (Process | undefined)[] = [];
  readonly threads: (Thread | undefined)[] = [];

  constructor() {
    this.stackRows.extend(1); // the empty one, which no file lists
    this.stackRows.add(0);
    this.stackParent.resize(1);
    this.stackFrame.resize(1);
  }

  /** `bytesSeen` is the size of the file so far: no number may be higher than what it justifies. */
  readStrings(cursor: Cursor, bytesSeen: number): boolean {
    const range = takeRange(cursor, bytesSeen, 1);
    const texts = cursor.texts(range.count);
    if (!cursor.ok) return false;
    this.stringRows.extend(range.first + range.count);
    while (this.strings.length < this.stringRows.count) this.strings.push("");
    texts.forEach((text, i) => {
      if (this.stringRows.add(range.first + i)) this.strings[range.first + i] = text;
    });
    return true;
  }

  readFunctions(cursor: Cursor, bytesSeen: number): boolean {
    const range = takeRange(cursor, bytesSeen, 4);
    const [name, file, firstLine, kind] = [0, 1, 2, 3].map(() => cursor.column(range.count));
    const module = cursor.left > 0 ? cursor.column(range.count) : null; // version 1 has none
    if (!cursor.ok || !areNumbers(name) || !areNumbers(file) || (module !== null && !areNumbers(module))) return false;
    // A kind of a later version would stand in a chunk that is not for us.
    if (!areLines(firstLine) || kind.some((value) => value < 0 || value > lastKind)) return false;
    this.functionRows.extend(range.first + range.count);
    resizeAll(this.functionRows.count, this.functionName, this.functionFile, this.functionFirstLine);
    resizeAll(this.functionRows.count, this.functionKind, this.functionModule);
    for (let i = 0; i < range.count; ++i) {
      const row = range.first + i;
      if (!this.functionRows.add(row)) continue;
      this.functionName.room[row] = name[i];
      this.functionFile.room[row] = file[i];
      this.functionFirstLine.room[row] = Math.max(firstLine[i], 0);
      this.functionKind.room[row] = kind[i];
      this.functionModule.room[row] = module === null ? noModule : module[i];
      this.highestString.note(Math.max(name[i], file[i], this.functionModule.room[row]));
    }
    return true;
  }

  readFrames(cursor: Cursor, bytesSeen: number): boolean {
    const range = takeRange(cursor, bytesSeen, 2);
    const functions = cursor.column(range.count);
    const line = cursor.column(range.count);
    if (!cursor.ok || !areNumbers(functions) || !areLines(line)) return false;
    this.frameRows.extend(range.first + range.count);
    resizeAll(this.frameRows.count, this.frameFunction, this.frameLine);
    for (let i = 0; i < range.count; ++i) {
      const row = range.first + i;
      if (!this.frameRows.add(row)) continue;
      this.frameFunction.room[row] = functions[i];
      this.frameLine.room[row] = Math.max(line[i], 0);
      this.highestFunction.note(functions[i]);
    }
    return true;
  }

  readStacks(cursor: Cursor, bytesSeen: number): boolean {
    const range = takeRange(cursor, bytesSeen, 2);
    const distance = cursor.column(range.count);
    const frame = cursor.column(range.count);
    if (!cursor.ok || !areNumbers(frame)) return false;
    // A parent has a smaller number: there is no cycle. So stack 0 cannot be in a section.
    if (distance.some((value, i) => value < 1 || value > range.first + i)) return false;
    this.stackRows.extend(range.first + range.count);
    resizeAll(this.stackRows.count, this.stackParent, this.stackFrame);
    for (let i = 0; i < range.count; ++i) {
      const row = range.first + i;
      if (!this.stackRows.add(row)) continue;
      this.stackParent.room[row] = row - distance[i];
      this.stackFrame.room[row] = frame[i];
      this.highestFrame.note(frame[i]);
    }
    return true;
  }

  readProcesses(cursor: Cursor, bytesSeen: number): boolean {
    const range = takeRange(cursor, bytesSeen, 3, maxThreads);
    const pid = cursor.column(range.count);
    const command = cursor.texts(range.count);
    const python = cursor.texts(range.count);
    if (!cursor.ok || !areLines(pid)) return false;
    while (this.processes.length < range.first + range.count) this.processes.push(undefined);
    for (let i = 0; i < range.count; ++i) {
      this.processes[range.first + i] ??= { pid: Math.max(pid[i], 0), command: command[i], python: python[i] };
    }
    return true;
  }

  readThreads(cursor: Cursor, bytesSeen: number): boolean {
    const range = takeRange(cursor, bytesSeen, 3, maxThreads);
    const process = cursor.column(range.count);
    const id = cursor.exactColumn(range.count);
    const name = cursor.texts(range.count);
    if (!cursor.ok || !areNumbers(process)) return false;
    while (this.threads.length < range.first + range.count) this.threads.push(undefined);
    for (let i = 0; i < range.count; ++i) {
      this.threads[range.first + i] ??= { process: process[i], id: id[i], name: name[i] };
    }
    return true;
  }
}

// A row takes so many bytes at least, and the content of a chunk is at most so many times as large as the chunk.
function takeRange(cursor: Cursor, bytesSeen: number, bytesPerRow: number, limit = maxRows): Range {
  const range = { first: cursor.u32(), count: cursor.u32() };
  const justified = Math.min((bytesSeen * maxExpansion) / bytesPerRow, limit);
  if (range.first + range.count > justified) cursor.ok = false;
  return cursor.ok ? range : { first: 0, count: 0 };
}

function areNumbers(values: Float64Array): boolean {
  return values.every((value) => value >= 0 && value < noNumber);
}

// Lines and pids. Below 0 there is none: not known.
function areLines(values: Float64Array): boolean {
  return values.every((value) => value >= -int32Limit && value < int32Limit);
}

function resizeAll(length: number, ...columns: Pick<Column<Uint8Array>, "resize">[]): void {
  for (const column of columns) column.resize(length);
}
