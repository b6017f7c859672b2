// Prepares what Vite built for being put into a page as it is: `node seal.mjs FOLDER`.
//
// The page's policy names script and style by their SHA-256, so both must reach the browser's parser unchanged, and
// nothing in them may end their element. The hashes are written to bundle_hashes.inc, as two strings of C++.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = process.argv[2];

// What the parser of HTML would take for something else, or would change.
const forbidden = {
  "viewer.js": [/<\/script/i, /<!--/, /[\r\0]/],
  "viewer.css": [/<\/style/i, /[\r\0]/],
};

function sealed(name) {
  const path = join(folder, name);
  if (!existsSync(path)) writeFileSync(path, ""); // Vite writes no style sheet where there is no style
  const bytes = readFileSync(path);
  const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  for (const pattern of [/^\uFEFF/, ...forbidden[name]]) {
    const found = pattern.exec(text);
    if (!found) continue;
    const around = text.slice(Math.max(found.index - 40, 0), found.index + 40);
    throw new Error(`${name} has ${pattern}, which would break the page: ${JSON.stringify(around)}`);
  }
  return createHash("sha256").update(bytes).digest("base64");
}

const hashes = Object.keys(forbidden).map((name) => `"sha256-${sealed(name)}"`);
writeFileSync(join(folder, "bundle_hashes.inc"), `${hashes.join(",\n")},\n`);
