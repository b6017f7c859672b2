// What can be done with the selected frame, by button or by key.

import { stackText } from "../model/stack_text";
import type { ProfileStore } from "../state/profile_store";

export function focusSelected(store: ProfileStore): void {
  const focus = store.functionOf(store.selected.value);
  if (focus !== null) store.change({ selection: { ...store.selection.value, focus }, zoom: [], range: null, selected: null });
}

export function openSandwich(store: ProfileStore): void {
  const number = store.functionOf(store.selected.value);
  if (number !== null) store.change({ view: "sandwich", function: number });
}

export function openSource(store: ProfileStore): void {
  const number = store.functionOf(store.selected.value);
  if (number === null) return;
  const { functions } = store.recording.value;
  const line = store.tree.value.line[store.selected.value] || Math.max(0, functions.firstLine[number]);
  store.change({ view: "source", file: functions.file[number], line });
}

export async function copyStack(store: ProfileStore): Promise<void> {
  const node = store.selected.value;
  if (node < 0) return;
  const text = stackText(store.tree.value, store.recording.value, node);
  const copied = await copyText(text);
  store.announcement.value = copied ? "stack copied" : "the browser does not allow copying";
}

// A page from a disk or by plain http has no navigator.clipboard in some browsers: then the old way.
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyByField(text);
  }
}

function copyByField(text: string): boolean {
  const field = document.createElement("textarea");
  const before = document.activeElement;
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  return copied;
}
