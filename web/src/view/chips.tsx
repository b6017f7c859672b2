// What narrows the view, each as a chip that can be taken away.

import { duration } from "../model/format";
import { threadLabel } from "../model/labels";
import type { Selection } from "../model/selection";
import type { ProfileStore } from "../state/profile_store";
import { hideable } from "./frames_menu";

export interface Chip {
  readonly text: string;
  readonly without: Partial<Selection>;
}

export function chipsOf(store: ProfileStore): Chip[] {
  const { selection } = store.state.value;
  const chips: Chip[] = [];
  if (selection.time !== null) {
    chips.push({ text: `${duration(selection.time[0])} – ${duration(selection.time[1])}`, without: { time: null } });
  }
  if (selection.focus !== null) chips.push({ text: `focus: ${store.nameOfFunction(selection.focus)}`, without: { focus: null } });
  if (selection.threads !== null) chips.push({ text: threadsText(store, selection.threads), without: { threads: null } });
  if (selection.processes !== null) {
    const number = selection.processes.length;
    chips.push({ text: `${number} ${number === 1 ? "process" : "processes"}`, without: { processes: null } });
  }
  for (const [origin, name] of hideable) {
    if (!selection.hidden.includes(origin)) continue;
    chips.push({ text: `without ${name}`, without: { hidden: selection.hidden.filter((other) => other !== origin) } });
  }
  if (selection.byThread) chips.push({ text: "by thread", without: { byThread: false } });
  if (selection.byLine) chips.push({ text: "by line", without: { byLine: false } });
  if (selection.inverted) chips.push({ text: "inverted", without: { inverted: false } });
  return chips;
}

function threadsText(store: ProfileStore, threads: readonly number[]): string {
  const one = threads.length === 1 ? store.recording.value.threads[threads[0]] : undefined;
  return one === undefined ? `${threads.length} threads` : threadLabel(one);
}

export function Chips({ store }: { store: ProfileStore }) {
  const chips = chipsOf(store);
  if (chips.length === 0) return null;
  return (
    <ul class="chips" aria-label="What narrows the view">
      {chips.map((chip) => (
        <li key={chip.text}>
          <button type="button" class="chip" title={`Remove: ${chip.text}`} onClick={() => store.select(chip.without)}>
            <span class="chip-text">{chip.text}</span> <span aria-hidden="true">✕</span>
          </button>
        </li>
      ))}
    </ul>
  );
}
