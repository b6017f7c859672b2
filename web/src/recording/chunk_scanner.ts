// ChunkScanner: finds the sound chunks in the bytes of an .ftap file, in their order, and passes over whatever is
// damaged. The twin of src/format/ftap_scanner.cc, for bytes that come in pieces.
//
// A chunk is sound if its checksum fits, it belongs to this recording and its number is higher than that of the one
// before. Where there is none, the scanner looks for the next marker. The work is linear in the bytes, whatever they
// are; the memory is that of one chunk.
import { decompress } from "fzstd";
import { ByteQueue } from "./byte_queue";
import {
  type ChunkHeader,
  checksumFits,
  chunkHeaderBytes,
  fileHeaderBytes,
  knownVersion,
  marker,
  maxPayload,
  parseChunkHeader,
  parseFileHeader,
} from "./chunk";

const pieceBytes = 1 << 20; // what is looked at in one go, so that a large file is not copied as a whole
const readInVain = 2; // times the bytes that came

/** What was met so far, besides sound chunks. */
export interface Findings {
  headerDamaged: boolean;
  damagedStretches: number; // without one at the end, which may still become a chunk
  damagedBytes: number;
  foreignChunks: number; // of another recording, or of this one for the second time
  newerChunks: number; // that only a newer reader understands
  lostChunks: number; // whose numbers are missing
  tooNew: number; // the version of a file that only newer readers understand, 0: it is not
}

export type ChunkVisitor = (header: ChunkHeader, plain: Uint8Array) => void;

type Seen = "sound" | "not ours" | "broken" | "no chunk" | "not whole";

export class ChunkScanner {
  readonly findings: Findings = {
    headerDamaged: false,
    damagedStretches: 0,
    damagedBytes: 0,
    foreignChunks: 0,
    newerChunks: 0,
    lostChunks: 0,
    tooNew: 0,
  };
  bytesSeen = 0;
  private readonly queue = new ByteQueue();
  private headerSeen = false;
  private recordingId: bigint | null = null;
  private lastSequence = -1;
  private damaged = 0; // bytes in front of the queue's first one that nothing sound has followed yet
  // How many bytes may still be read in vain. After that, what looks like a chunk and is none is skipped whole; before,
  // there may be a sound one inside. Without this, chunks that overlap would make the work grow with the square.
  private budgetInVain = maxPayload;
  private lookedAheadTo = 0; // in the stream
  private header: ChunkHeader | null = null; // of what `look` looked at
  private plain: Uint8Array = new Uint8Array(0);

  constructor(private readonly visit: ChunkVisitor) {}

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      const piece = bytes.subarray(at, at + pieceBytes);
      this.bytesSeen += piece.length;
      this.budgetInVain += readInVain * piece.length;
      this.queue.append(piece);
      this.scan();
    }
  }

  /**
   * A damaged length can make a chunk seem larger than what came so far. If a sound one stands behind it already, it is
   * damage: goes on there. To be called when all that there is for now was added.
   */
  settle(): void {
    while (this.headerSeen && this.queue.bytes.length > 0) {
      const next = this.soundChunkAhead();
      if (next === 0) return;
      this.skip(next);
      this.scan();
    }
  }

  /** At the end: what is no chunk, or not a whole one yet. */
  get bytesUnused(): number {
    return this.damaged + this.queue.bytes.length;
  }

  private scan(): void {
    if (!this.headerSeen && !this.readFileHeader()) return;
    while (this.queue.bytes.length > 0) {
      const seen = this.findings.tooNew === 0 ? this.look(this.queue.bytes) : "not whole";
      if (seen === "not whole") return;
      if (seen === "sound" || seen === "not ours") this.take(seen);
      else if (seen === "broken" && this.budgetInVain === 0) this.skip(this.chunkBytes());
      else if (!this.skipToMarker()) return;
    }
  }

  // Nothing stands in the header that is not in every chunk, too: damaged, it costs nothing.
  private readFileHeader(): boolean {
    const bytes = this.queue.bytes;
    if (bytes.length < fileHeaderBytes) return false;
    const header = parseFileHeader(bytes);
    this.findings.headerDamaged = header === null;
    if (header !== null && header.minReader > knownVersion) this.findings.tooNew = header.version;
    this.recordingId = header === null ? null : header.recordingId;
    this.headerSeen = true;
    this.queue.drop(fileHeaderBytes);
    return true;
  }

  private chunkBytes(): number {
    return chunkHeaderBytes + (this.header?.payloadBytes ?? 0);
  }

  private take(seen: "sound" | "not ours"): void {
    if (this.damaged > 0) {
      this.findings.damagedStretches += 1;
      this.findings.damagedBytes += this.damaged;
      this.damaged = 0;
    }
    if (seen === "sound" && this.header !== null) this.visit(this.header, this.plain);
    this.queue.drop(this.chunkBytes());
  }

  private skip(count: number): void {
    this.damaged += count;
    this.queue.drop(count);
  }

  // False if more bytes are needed to tell where it is.
  private skipToMarker(): boolean {
    const bytes = this.queue.bytes;
    const found = findMarker(bytes, 1);
    this.skip(found >= 0 ? found : Math.max(1, bytes.length - (marker.length - 1)));
    return found >= 0;
  }

  private look(bytes: Uint8Array): Seen {
    if (bytes.length < chunkHeaderBytes) return couldBeMarker(bytes) ? "not whole" : "no chunk";
    const header = parseChunkHeader(bytes);
    if (header === null) return "no chunk";
    this.header = header;
    const chunkBytes = this.chunkBytes();
    if (chunkBytes > bytes.length) return "not whole";
    const seen = this.judge(header, bytes.subarray(0, chunkBytes));
    if (seen === "broken") this.budgetInVain = Math.max(0, this.budgetInVain - chunkBytes);
    return seen;
  }

  private judge(header: ChunkHeader, chunk: Uint8Array): Seen {
    if (!checksumFits(header, chunk)) return "broken";
    this.recordingId ??= header.recordingId;
    if (header.recordingId !== this.recordingId || header.sequence <= this.lastSequence) {
      this.findings.foreignChunks += 1;
      return "not ours";
    }
    if (header.minReader > knownVersion) {
      this.findings.newerChunks += 1;
      return "not ours";
    }
    const plain = unpack(chunk.subarray(chunkHeaderBytes), header.plainBytes);
    if (plain === null) return "broken";
    this.plain = plain;
    this.findings.lostChunks += header.sequence - this.lastSequence - 1;
    this.lastSequence = header.sequence;
    return "sound";
  }

  // How far ahead a chunk of this recording begins whose checksum fits; 0: there is none.
  private soundChunkAhead(): number {
    const bytes = this.queue.bytes;
    let undecided = Math.max(0, bytes.length - (marker.length - 1)); // from here on it needs more bytes to tell
    let at = findMarker(bytes, Math.max(1, this.lookedAheadTo - this.queue.dropped));
    for (; at >= 0 && this.budgetInVain > 0; at = findMarker(bytes, at + 1)) {
      const rest = bytes.subarray(at);
      const header = parseChunkHeader(rest);
      const chunkBytes = chunkHeaderBytes + (header?.payloadBytes ?? 0);
      if (chunkBytes > rest.length) {
        undecided = Math.min(undecided, at);
      } else if (header !== null && (this.recordingId === null || header.recordingId === this.recordingId)) {
        if (checksumFits(header, rest.subarray(0, chunkBytes))) return at;
        this.budgetInVain = Math.max(0, this.budgetInVain - chunkBytes);
      }
    }
    this.lookedAheadTo = this.queue.dropped + undecided;
    return 0;
  }
}

function couldBeMarker(bytes: Uint8Array): boolean {
  return marker.every((byte, i) => i >= bytes.length || bytes[i] === byte);
}

function findMarker(bytes: Uint8Array, from: number): number {
  const [first, second, third, fourth] = marker;
  for (let at = bytes.indexOf(first, from); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (bytes[at + 1] === second && bytes[at + 2] === third && bytes[at + 3] === fourth) return at;
  }
  return -1;
}

// The room is given, so that no length inside the frame makes anybody allocate.
function unpack(payload: Uint8Array, plainBytes: number): Uint8Array | null {
  try {
    const room = new Uint8Array(plainBytes);
    // The decompressor compares it with a number, for which JavaScript would write all of its bytes as text.
    Object.defineProperty(room, Symbol.toPrimitive, { value: () => Number.NaN });
    const plain = decompress(payload, room);
    return plain.length === plainBytes ? plain : null;
  } catch {
    return null;
  }
}
