// The recordings that are in the page itself: base64 in script elements that no browser runs. They are decoded in pieces,
// with pauses, so that the page can say how far it is and never freezes.

import { FtapReader } from "../recording/ftap_reader";
import type { Recording } from "../recording/recording";

export type Progress = (done: number, total: number) => void;

const pieceSize = 1 << 20; // characters, a multiple of four

export function embeddedElements(page: Document = document): HTMLScriptElement[] {
  return [...page.querySelectorAll<HTMLScriptElement>('script[type="application/x-flametap"]')].slice(0, 2);
}

export async function readEmbedded(elements: readonly HTMLScriptElement[], progress: Progress): Promise<Recording[]> {
  const texts = elements.map((element) => (element.textContent ?? "").trim());
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  const recordings: Recording[] = [];
  let before = 0;
  for (const [i, text] of texts.entries()) {
    const start = before;
    recordings.push(await readBase64(text, elements[i].dataset.name ?? "recording", (done) => progress(start + done, total)));
    before += text.length;
  }
  return recordings;
}

async function readBase64(text: string, name: string, progress: (done: number) => void): Promise<Recording> {
  const reader = new FtapReader(name);
  for (let at = 0; at < text.length; at += pieceSize) {
    reader.add(decode(text.slice(at, at + pieceSize)));
    progress(Math.min(text.length, at + pieceSize));
    await pause();
  }
  return reader.recording();
}

export function decode(base64: string): Uint8Array {
  const characters = atob(base64);
  const bytes = new Uint8Array(characters.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i);
  return bytes;
}

/** Lets the browser draw and answer before the next piece of work. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
