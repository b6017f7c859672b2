// The frame of an .ftap file: its header, and the header of each chunk. See docs/formats/ftap.md.
import { crc32 } from "./crc32";

export const fileHeaderBytes = 24;
export const chunkHeaderBytes = 32;
export const marker = [0xd3, 0x46, 0x54, 0x43] as const;
export const knownVersion = 4;

// What a chunk may hold, so that no file makes its reader allocate more than the file justifies.
const maxPlain = 4 << 20;
export const maxPayload = maxPlain + (64 << 10);
export const maxExpansion = 32;

const magic = [0x89, 0x46, 0x54, 0x41, 0x50, 0x0d, 0x0a, 0x1a];
const zstd = 1;
const lastFlag = 1;

export interface FileHeader {
  readonly recordingId: bigint;
  readonly version: number;
  readonly minReader: number;
}

export interface ChunkHeader {
  readonly checksum: number;
  readonly recordingId: bigint;
  readonly sequence: number;
  readonly payloadBytes: number;
  readonly plainBytes: number;
  readonly last: boolean;
  readonly minReader: number;
}

/** Of the first bytes of a file; null if it is none or is damaged. */
export function parseFileHeader(bytes: Uint8Array): FileHeader | null {
  if (bytes.length < fileHeaderBytes || magic.some((byte, i) => bytes[i] !== byte)) return null;
  const view = viewOf(bytes);
  if (crc32(bytes, 0, 20) !== view.getUint32(20, true)) return null;
  return { recordingId: view.getBigUint64(8, true), version: bytes[16], minReader: bytes[17] };
}

/** Null if it cannot be the header of a chunk. Whether it is one, only the checksum can tell. */
export function parseChunkHeader(bytes: Uint8Array): ChunkHeader | null {
  if (bytes.length < chunkHeaderBytes || marker.some((byte, i) => bytes[i] !== byte)) return null;
  const view = viewOf(bytes);
  const payloadBytes = view.getUint32(20, true);
  const plainBytes = view.getUint32(24, true);
  const minReader = bytes[31];
  if (minReader <= knownVersion && bytes[29] !== zstd) return null;
  if (payloadBytes > maxPayload || plainBytes > maxPlain) return null;
  if (plainBytes > maxExpansion * (chunkHeaderBytes + payloadBytes)) return null;
  return {
    checksum: view.getUint32(4, true),
    recordingId: view.getBigUint64(8, true),
    sequence: view.getUint32(16, true),
    payloadBytes,
    plainBytes,
    last: (bytes[28] & lastFlag) !== 0,
    minReader,
  };
}

/** Of a whole chunk. */
export function checksumFits(header: ChunkHeader, chunk: Uint8Array): boolean {
  return crc32(chunk, 8) === header.checksum;
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
