// What threads and processes are called, in the words of src/profile/filter.cc.
import type { Process, Thread } from "../recording/recording";

/** thread MainThread (123) */
export function threadLabel(thread: Thread): string {
  const name = thread.name === "" ? "" : ` ${thread.name}`;
  const id = thread.id === 0n ? "" : ` (${thread.id})`;
  return `thread${name}${id}`;
}

/** process 7 (python a.py) */
export function processLabel(process: Process): string {
  return `process ${process.pid} (${process.command})`;
}
