// Cursor: takes the content of a chunk apart from the front. What goes beyond the end gives zeros and nothing, and is
// remembered: asking `ok` once, at the end, is enough. Allocates at most in proportion to the bytes that are there.

const two32 = 2 ** 32;
const two63 = 2 ** 63;
const two64 = 2 ** 64;
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

export class Cursor {
  ok = true;
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly bytes: Uint8Array) {
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  get left(): number {
    return this.bytes.length - this.at;
  }

  u8(): number {
    return this.has(1) ? this.bytes[this.at++] : 0;
  }

  u32(): number {
    return this.has(4) ? this.view.getUint32((this.at += 4) - 4, true) : 0;
  }

  u64(): bigint {
    return this.has(8) ? this.view.getBigUint64((this.at += 8) - 8, true) : 0n;
  }

  f64(): number {
    return this.has(8) ? this.view.getFloat64((this.at += 8) - 8, true) : 0;
  }

  /** The next `count` bytes, as a part of the content. */
  take(count: number): Uint8Array {
    if (!this.has(count)) return new Uint8Array(0);
    return this.bytes.subarray((this.at += count) - count, this.at);
  }

  /** Numbers as two's complement of 64 bits say them: below 0 is what is 2^63 or more. Exact up to 2^53. */
  column(rows: number): Float64Array {
    const width = this.u8();
    const base = this.signed64();
    if (width < 1 || width > 8 || rows * width > this.left) this.ok = false;
    if (!this.ok) return new Float64Array(0);
    const values = new Float64Array(rows);
    for (let plane = 0; plane < width; ++plane) {
      const scale = 2 ** (8 * plane);
      const bytes = this.take(rows);
      for (let row = 0; row < rows; ++row) values[row] += bytes[row] * scale;
    }
    for (let row = 0; row < rows; ++row) {
      const value = base + values[row];
      values[row] = value >= two63 ? value - two64 : value;
    }
    return values;
  }

  /** The same, exact and from 0 to 2^64 - 1. */
  exactColumn(rows: number): bigint[] {
    const width = this.u8();
    const base = this.u64();
    if (width < 1 || width > 8 || rows * width > this.left) this.ok = false;
    if (!this.ok) return [];
    const planes = Array.from({ length: width }, () => this.take(rows));
    const values: bigint[] = [];
    for (let row = 0; row < rows; ++row) {
      let value = base;
      planes.forEach((bytes, plane) => (value += BigInt(bytes[row]) << BigInt(8 * plane)));
      values.push(BigInt.asUintN(64, value));
    }
    return values;
  }

  texts(count: number): string[] {
    const lengths = this.column(count);
    let sum = 0;
    for (const length of lengths) {
      if (length < 0) this.ok = false; // and the sum must not take anything back
      sum += Math.max(length, 0);
    }
    const bytes = this.take(sum);
    return this.ok ? decodeTexts(bytes, lengths) : [];
  }

  private has(count: number): boolean {
    if (count <= this.left) return true;
    this.ok = false;
    this.at = this.bytes.length;
    return false;
  }

  private signed64(): number {
    if (!this.has(8)) return 0;
    this.at += 8;
    return this.view.getInt32(this.at - 4, true) * two32 + this.view.getUint32(this.at - 8, true);
  }
}

// Decoding all of them at once is much quicker, and right where each byte is a character.
function decodeTexts(bytes: Uint8Array, lengths: Float64Array): string[] {
  const isAscii = bytes.every((byte) => byte < 0x80);
  const all = isAscii ? decoder.decode(bytes) : "";
  const texts: string[] = [];
  let at = 0;
  for (const length of lengths) {
    texts.push(isAscii ? all.slice(at, at + length) : decoder.decode(bytes.subarray(at, at + length)));
    at += length;
  }
  return texts;
}
