// CRC-32 as zlib, gzip and PNG have it; four bytes at a time, as every byte of a recording goes through here.

const tables = makeTables();

function makeTables(): Uint32Array[] {
  const made = [0, 1, 2, 3].map(() => new Uint32Array(256));
  for (let byte = 0; byte < 256; ++byte) {
    let rest = byte;
    for (let bit = 0; bit < 8; ++bit) rest = (rest & 1) !== 0 ? (rest >>> 1) ^ 0xedb88320 : rest >>> 1;
    made[0][byte] = rest;
  }
  for (let byte = 0; byte < 256; ++byte) {
    for (let i = 1; i < 4; ++i) made[i][byte] = (made[i - 1][byte] >>> 8) ^ made[0][made[i - 1][byte] & 0xff];
  }
  return made;
}

export function crc32(bytes: Uint8Array, from = 0, to = bytes.length): number {
  const [t0, t1, t2, t3] = tables;
  let crc = -1;
  let at = from;
  for (; at + 4 <= to; at += 4) {
    crc ^= bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    crc = t3[crc & 0xff] ^ t2[(crc >>> 8) & 0xff] ^ t1[(crc >>> 16) & 0xff] ^ t0[crc >>> 24];
  }
  for (; at < to; ++at) crc = t0[(crc ^ bytes[at]) & 0xff] ^ (crc >>> 8);
  return ~crc >>> 0;
}
