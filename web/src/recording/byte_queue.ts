// ByteQueue: bytes that came and are not used up yet. Pieces may be of any size; the work is linear in all of them.

export class ByteQueue {
  private buffer = new Uint8Array(1 << 16);
  private start = 0;
  private stop = 0;
  /** How many bytes were dropped so far: the place of the first byte of `bytes` in the stream. */
  dropped = 0;

  append(piece: Uint8Array): void {
    if (this.stop + piece.length > this.buffer.length) this.makeRoom(piece.length);
    this.buffer.set(piece, this.stop);
    this.stop += piece.length;
  }

  /** What is there; good until the next append. */
  get bytes(): Uint8Array {
    return this.buffer.subarray(this.start, this.stop);
  }

  drop(count: number): void {
    this.start += count;
    this.dropped += count;
  }

  // Moves what is left to the front; doubles the room if most of it is in use.
  private makeRoom(needed: number): void {
    const left = this.stop - this.start;
    const tooSmall = (left + needed) * 2 > this.buffer.length;
    const target = tooSmall ? new Uint8Array((left + needed) * 2) : this.buffer;
    target.set(this.bytes);
    this.buffer = target;
    this.start = 0;
    this.stop = left;
  }
}
