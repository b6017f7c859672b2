// Keys that work anywhere on a profile's page. The help panel lists the same table, so none is a secret.

import type { ProfileStore } from "../state/profile_store";
import { copyStack, focusSelected, openSandwich, openSource } from "./actions";
import { searchId } from "./search_box";
import type { TabInfo } from "./tabs";

export interface Key {
  readonly keys: readonly string[]; // as KeyboardEvent.key, "Ctrl+" before it where held
  readonly text: string;
  readonly ofOne?: true; // means nothing on the page of a difference
  readonly run: (page: KeyTarget) => void;
}

export interface KeyTarget {
  readonly store: ProfileStore;
  readonly tabs: readonly TabInfo[];
  readonly showHelp: () => void;
}

const flip = (part: "byThread" | "byLine" | "inverted") => ({ store }: KeyTarget) =>
  store.select({ [part]: !store.selection.value[part] });

const pageKeys: readonly Key[] = [
  { keys: ["/"], text: "search", run: () => document.getElementById(searchId)?.focus() },
  { keys: ["n"], text: "next match", run: ({ store }) => store.goToMatch(false) },
  { keys: ["N"], text: "match before", run: ({ store }) => store.goToMatch(true) },
  { keys: ["Escape"], text: "zoom out, a step at a time", run: ({ store }) => store.zoomOut() },
  { keys: ["f"], text: "focus: only stacks with the selected function", run: ({ store }) => focusSelected(store) },
  { keys: ["s"], text: "sandwich of the selected function", ofOne: true, run: ({ store }) => openSandwich(store) },
  { keys: ["o"], text: "source of the selected function", ofOne: true, run: ({ store }) => openSource(store) },
  { keys: ["c"], text: "copy the selected stack", run: ({ store }) => void copyStack(store) },
  { keys: ["i"], text: "invert: what runs at the root", run: flip("inverted") },
  { keys: ["t"], text: "a root for each thread", ofOne: true, run: flip("byThread") },
  { keys: ["l"], text: "calls from different lines apart", ofOne: true, run: flip("byLine") },
  { keys: ["u", "Ctrl+z"], text: "undo", run: ({ store }) => store.undo() },
  { keys: ["U", "Ctrl+y", "Ctrl+Z"], text: "redo", run: ({ store }) => store.redo() },
  { keys: ["?"], text: "this list", run: ({ showHelp }) => showHelp() },
];

/** The keys of a page: one without tabs is that of a difference. */
export function keysOf(tabs: readonly TabInfo[]): readonly Key[] {
  return tabs.length > 0 ? pageKeys : pageKeys.filter((key) => key.ofOne === undefined);
}

/** Keys of single views, for the help panel. The views handle them. */
export const viewKeys: ReadonlyArray<readonly [view: string, keys: ReadonlyArray<readonly [string, string]>]> = [
  [
    "Flame, Icicle, Sandwich, Difference",
    [
      ["← ↑ ↓ →", "to the caller, the heaviest call, the neighbours"],
      ["Enter, double click", "zoom into the frame; in the sandwich: look at its function"],
      ["Home", "to the root of the view"],
      ["+ −, Ctrl+wheel, pinch", "zoom freely"],
      ["drag, Shift+wheel", "move sideways"],
    ],
  ],
  [
    "Time",
    [
      ["← ↑ ↓ →", "to the call before, the caller, the callee, the call after"],
      ["+ −, Ctrl+wheel, pinch", "zoom"],
      ["a d, Shift+wheel", "move sideways"],
      ["drag, r", "select a time: dragged, or all that is seen"],
      ["Enter, double click", "zoom into the call"],
      ["x, click on its name", "unfold all calls of a thread, or fold them"],
    ],
  ],
  [
    "Top, Tree, tables",
    [
      ["↑ ↓ Home End Page", "move"],
      ["← →", "fold and unfold (Tree)"],
      ["Enter", "Top: sandwich of the function; Tree: unfold"],
    ],
  ],
];

export function keyName(event: KeyboardEvent): string {
  return event.ctrlKey || event.metaKey ? `Ctrl+${event.key}` : event.key;
}

/** Handles a key; true: it was one of ours. */
export function handleKey(event: KeyboardEvent, page: KeyTarget): boolean {
  if (event.altKey || isTyping(event.target)) return false;
  const name = keyName(event);
  const tab = /^[1-9]$/.test(name) ? page.tabs[Number(name) - 1] : undefined;
  if (tab !== undefined) {
    page.store.change({ view: tab.view });
    return true;
  }
  const key = keysOf(page.tabs).find(({ keys }) => keys.includes(name));
  key?.run(page);
  return key !== undefined;
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type))
  );
}
