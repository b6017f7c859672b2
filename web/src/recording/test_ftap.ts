// Writes .ftap files for tests and benchmarks: whole ones of a Recording, or chunk by chunk with anything in them. Its
// zstd frames hold raw blocks (RFC 8878), so nothing is compressed.
import { crc32 } from "./crc32";
import type { Recording } from "./recording";

const maxRawBlock = 128 << 10;
const rowsPerSection = 40_000; // so that a section of any kind fits a chunk

export class Bytes {
  private room = new Uint8Array(1 << 10);
  private view = new DataView(this.room.buffer);
  private length = 0;

  get done(): Uint8Array {
    return this.room.slice(0, this.length);
  }

  u8(value: number): this {
    const at = this.extend(1); // first: it may change the view
    this.view.setUint8(at, value);
    return this;
  }

  u32(value: number): this {
    const at = this.extend(4);
    this.view.setUint32(at, value, true);
    return this;
  }

  u64(value: number | bigint): this {
    const at = this.extend(8);
    this.view.setBigUint64(at, BigInt.asUintN(64, BigInt(value)), true);
    return this;
  }

  f64(value: number): this {
    const at = this.extend(8);
    this.view.setFloat64(at, value, true);
    return this;
  }

  bytes(bytes: Uint8Array | readonly number[]): this {
    const at = this.extend(bytes.length);
    this.room.set(bytes, at);
    return this;
  }

  column(values: ArrayLike<number>): this {
    let low = values.length > 0 ? values[0] : 0;
    let high = low;
    for (let i = 1; i < values.length; ++i) {
      low = Math.min(low, values[i]);
      high = Math.max(high, values[i]);
    }
    let width = 1;
    while (high - low >= 2 ** (8 * width)) ++width;
    this.u8(width).u64(low);
    const at = this.extend(width * values.length);
    for (let i = 0; i < values.length; ++i) {
      let rest = values[i] - low;
      for (let plane = 0; plane < width; ++plane) {
        this.room[at + plane * values.length + i] = rest % 256;
        rest = Math.floor(rest / 256);
      }
    }
    return this;
  }

  texts(texts: readonly string[]): this {
    const encoder = new TextEncoder();
    const encoded = texts.map((text) => encoder.encode(text));
    this.column(encoded.map((bytes) => bytes.length));
    for (const bytes of encoded) this.bytes(bytes);
    return this;
  }

  section(kind: number, fill: (bytes: Bytes) => void): this {
    const content = new Bytes();
    fill(content);
    return this.u8(kind).u32(content.length).bytes(content.done);
  }

  private extend(count: number): number {
    const at = this.length;
    this.length += count;
    if (this.length > this.room.length) {
      const larger = new Uint8Array(Math.max(this.length, this.room.length * 2));
      larger.set(this.room);
      this.room = larger;
      this.view = new DataView(larger.buffer);
    }
    return at;
  }
}

export interface ChunkOptions {
  readonly id?: bigint;
  readonly sequence: number;
  readonly last?: boolean;
  readonly version?: number;
  readonly minReader?: number;
}

const defaultId = 0x1234_5678_9abcn;

export function fileHeader(id = defaultId, version = 2, minReader = 1): Uint8Array {
  const bytes = new Bytes().bytes([0x89, 0x46, 0x54, 0x41, 0x50, 0x0d, 0x0a, 0x1a]).u64(id);
  bytes.u8(version).u8(minReader).u8(0).u8(0);
  return bytes.u32(crc32(bytes.done)).done;
}

export function chunk(plain: Uint8Array, options: ChunkOptions): Uint8Array {
  const payload = rawZstd(plain);
  const checked = new Bytes().u64(options.id ?? defaultId).u32(options.sequence);
  checked.u32(payload.length).u32(plain.length).u8(options.last ? 1 : 0).u8(1);
  checked.u8(options.version ?? 2).u8(options.minReader ?? 1).bytes(payload);
  return new Bytes().bytes([0xd3, 0x46, 0x54, 0x43]).u32(crc32(checked.done)).bytes(checked.done).done;
}

// One segment whose size is said in four bytes; each block has its size, its type (0: raw) and whether it is the last.
function rawZstd(plain: Uint8Array): Uint8Array {
  const frame = new Bytes().u32(0xfd2fb528).u8(0b1010_0000).u32(plain.length);
  for (let at = 0; at === 0 || at < plain.length; at += maxRawBlock) {
    const block = plain.subarray(at, at + maxRawBlock);
    const isLast = at + maxRawBlock >= plain.length ? 1 : 0;
    const head = (block.length << 3) | isLast;
    frame.u8(head & 0xff).u8((head >> 8) & 0xff).u8(head >> 16).bytes(block);
  }
  return frame.done;
}

export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Bytes();
  for (const piece of pieces) all.bytes(piece);
  return all.done;
}

/** The plain contents of the chunks of a recording: tables first, then samples. */
export function contentsOf(recording: Recording): Uint8Array[] {
  const { strings, functions, frames, stacks, processes, threads, samples } = recording;
  const contents: Uint8Array[] = [];
  const rows = (kind: number, first: number, count: number, fill: (bytes: Bytes, from: number, to: number) => void) => {
    for (let from = first; from < count; from += rowsPerSection) {
      const to = Math.min(from + rowsPerSection, count);
      const content = recordingSection(new Bytes(), recording);
      contents.push(content.section(kind, (bytes) => fill(bytes.u32(from).u32(to - from), from, to)).done);
    }
  };
  rows(2, 0, strings.length, (b, from, to) => b.texts(strings.slice(from, to)));
  rows(3, 0, functions.count, (b, from, to) => {
    for (const column of [functions.name, functions.file, functions.firstLine, functions.kind, functions.module]) {
      b.column(column.subarray(from, to));
    }
  });
  rows(4, 0, frames.count, (b, from, to) =>
    b.column(frames.function.subarray(from, to)).column(frames.line.subarray(from, to)),
  );
  rows(5, 1, stacks.count, (b, from, to) => {
    b.column(stacks.parent.subarray(from, to).map((parent, i) => from + i - parent));
    b.column(stacks.frame.subarray(from, to));
  });
  rows(6, 0, processes.length, (b) => {
    b.column(processes.map((p) => p.pid)).texts(processes.map((p) => p.command)).texts(processes.map((p) => p.python));
  });
  rows(7, 0, threads.length, (b) => {
    b.column(threads.map((t) => t.process)).column(threads.map((t) => Number(t.id))).texts(threads.map((t) => t.name));
  });
  for (let from = 0; from < samples.count; from += rowsPerSection) {
    contents.push(recordingSection(new Bytes(), recording).section(8, (b) => putSamples(b, recording, from)).done);
  }
  return contents;
}

function putSamples(bytes: Bytes, { samples }: Recording, from: number): void {
  const to = Math.min(from + rowsPerSection, samples.count);
  const time = samples.time.subarray(from, to);
  bytes.u64(from).u32(to - from).u32(1).u64(0).u64(time[0]);
  bytes.column(time.map((t, i) => (i === 0 ? 0 : t - time[i - 1])));
  for (const column of [samples.thread, samples.stack, samples.ticks, samples.state, samples.weight]) {
    bytes.column(column.subarray(from, to));
  }
}

export function recordingSection(bytes: Bytes, recording: Recording): Bytes {
  const { counts } = recording;
  const mode = ["wall", "cpu", "gil", "unknown", "ready"].indexOf(recording.mode);
  return bytes.section(1, (b) => {
    b.u64(recording.startUnixNs).u64(recording.durationNs).f64(recording.rateHz).u8(mode).texts([recording.ended]);
    b.u32(2).column([counts.ticks, counts.missedTicks]);
    b.u32(counts.more.size).texts([...counts.more.keys()]).column([...counts.more.values()]).u8(recording.native ? 1 : 0);
  });
}

export function ftapOf(recording: Recording): Uint8Array {
  const contents = contentsOf(recording);
  const chunks = contents.map((plain, i) => chunk(plain, { sequence: i, last: i === contents.length - 1 }));
  return joined([fileHeader(), ...chunks]);
}
