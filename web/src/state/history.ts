// History: what undo and redo go through. Immutable: each change gives a new one.

const most = 200; // changes that are remembered

export interface History<T> {
  readonly past: readonly T[]; // oldest first
  readonly present: T;
  readonly future: readonly T[]; // next first
}

export function begin<T>(present: T): History<T> {
  return { past: [], present, future: [] };
}

/** A change of its own: undo comes back to what was before. */
export function push<T>(history: History<T>, present: T): History<T> {
  return { past: [...history.past, history.present].slice(-most), present, future: [] };
}

/** More of the same change, such as the next letter of a search: not a step of its own. */
export function replace<T>(history: History<T>, present: T): History<T> {
  return { ...history, present };
}

export function undo<T>(history: History<T>): History<T> {
  const { past, present, future } = history;
  if (past.length === 0) return history;
  return { past: past.slice(0, -1), present: past[past.length - 1], future: [present, ...future] };
}

export function redo<T>(history: History<T>): History<T> {
  const { past, present, future } = history;
  if (future.length === 0) return history;
  return { past: [...past, present], present: future[0], future: future.slice(1) };
}
