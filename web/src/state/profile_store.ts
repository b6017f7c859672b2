// ProfileStore: one profile on the page, what was chosen, and what follows from both. Views read signals and call its
// methods; nothing else changes the state. What follows is computed when it is looked at, and once for each change.

import { batch, computed, signal, type ReadonlySignal, type Signal } from "@preact/signals";
import { buildTree } from "../model/build_tree";
import { noFunction, type CallTree } from "../model/call_tree";
import { originsOf } from "../model/origin";
import { matchedTotal, matchingFunctions, matchingNodes, nextMatch, parseSearch } from "../model/search";
import type { Mode, Selection } from "../model/selection";
import { nodeName } from "../model/stack_text";
import { whyNotMode, widestMode } from "../model/weights";
import type { Recording } from "../recording/recording";
import * as history from "./history";
import { nearestNode, nodeAt, pathOf } from "./node_path";
import { initial, type ViewState } from "./view_state";

export interface Found {
  readonly error: string | null;
  readonly functions: Uint8Array | null; // 1: matches; null: nothing is searched for
  readonly nodes: Uint32Array;
  readonly total: number;
}

const nothingFound: Found = { error: null, functions: null, nodes: new Uint32Array(0), total: 0 };

export type Change = "step" | "same"; // a step of its own for undo and Back, or more of the last one

export type TreeOf = (store: ProfileStore) => CallTree;

const treeOfProfile: TreeOf = (store) => buildTree(store.recording.value, store.selection.value);

export class ProfileStore {
  readonly recording: Signal<Recording>;
  readonly start: ViewState; // what an empty URL means for this profile
  readonly history: Signal<history.History<ViewState>>;
  readonly state: ReadonlySignal<ViewState>;
  readonly selection: ReadonlySignal<Selection>;
  readonly tree: ReadonlySignal<CallTree>;
  readonly origins: ReadonlySignal<Uint8Array>;
  readonly found: ReadonlySignal<Found>;
  readonly zoomed: ReadonlySignal<number>; // a node
  readonly selected: ReadonlySignal<number>; // a node; -1: none
  readonly announcement = signal(""); // for those who do not see the canvas
  private readonly matching: ReadonlySignal<{ error: string | null; functions: Uint8Array | null }>;

  constructor(recording: Recording, start: ViewState = startOf(recording), treeOf: TreeOf = treeOfProfile) {
    this.recording = signal(recording);
    this.start = start;
    this.history = signal(history.begin(start));
    this.state = computed(() => this.history.value.present);
    this.selection = computed(() => this.state.value.selection);
    this.tree = computed(() => treeOf(this));
    this.origins = computed(() => originsOf(this.recording.value));
    const text = computed(() => this.state.value.search);
    this.matching = computed(() => matchesOf(this.recording.value, text.value));
    this.found = computed(() => foundIn(this.tree.value, this.matching.value));
    this.zoomed = computed(() => nearestNode(this.tree.value, this.state.value.zoom));
    this.selected = computed(() => {
      const path = this.state.value.selected;
      return path === null ? -1 : nodeAt(this.tree.value, path);
    });
  }

  change(part: Partial<ViewState>, kind: Change = "step"): void {
    const next = { ...this.state.value, ...part };
    this.history.value = (kind === "step" ? history.push : history.replace)(this.history.value, next);
  }

  /** Zooms and paths belong to one shape of the tree: they stay as far as they lead. */
  select(part: Partial<Selection>): void {
    this.change({ selection: { ...this.state.value.selection, ...part }, range: null });
  }

  /** Takes over what the URL says: as a step, or as the beginning. */
  restore(state: ViewState, asBeginning = false): void {
    const possible = whyNotMode(this.recording.value, state.selection.mode) === null;
    const selection = possible ? state.selection : { ...state.selection, mode: widestMode(this.recording.value) };
    const next = { ...state, selection };
    this.history.value = asBeginning ? history.begin(next) : history.push(this.history.value, next);
  }

  undo(): void {
    this.history.value = history.undo(this.history.value);
  }

  redo(): void {
    this.history.value = history.redo(this.history.value);
  }

  selectNode(node: number): void {
    this.change({ selected: node < 0 ? null : pathOf(this.tree.value, node) }, "same");
  }

  zoomTo(node: number): void {
    const path = pathOf(this.tree.value, node);
    this.change({ zoom: path, selected: path, range: null });
  }

  zoomOut(): void {
    const zoomed = this.zoomed.value;
    const { view, range, chart } = this.state.value;
    if (view === "chart") return chart === null ? undefined : this.change({ chart: null });
    if (range !== null) this.change({ range: null });
    else if (zoomed > 0) this.change({ zoom: pathOf(this.tree.value, this.tree.value.parent[zoomed]) });
  }

  goToMatch(backwards: boolean): void {
    const { nodes } = this.found.value;
    const next = nextMatch(nodes, Math.max(0, this.selected.value), backwards);
    if (next < 0) return;
    const inside = next >= this.zoomed.value && next < this.tree.value.end[this.zoomed.value];
    const path = pathOf(this.tree.value, next);
    batch(() => {
      this.change(inside ? { selected: path } : { selected: path, zoom: [], range: null }, "same");
      const at = nodes.indexOf(next) + 1;
      this.announcement.value = `match ${at} of ${nodes.length}: ${nodeName(this.tree.value, this.recording.value, next)}`;
    });
  }

  /** The function of a node; null: it is a thread, a process, or everything. */
  functionOf(node: number): number | null {
    const found = node < 0 ? noFunction : this.tree.value.function[node];
    return found === noFunction ? null : found;
  }

  nameOfFunction(number: number): string {
    const { functions, strings } = this.recording.value;
    return number < functions.count ? strings[functions.name[number]] : "(unknown)";
  }
}

/** CPU time is what people ask for first; a program that only waited is shown as it waited. */
/** What whoever made the page asked for. */
export interface Wanted {
  readonly mode?: string;
  readonly byThread?: boolean;
}

export function startOf(recording: Recording, { mode, byThread = false }: Wanted = {}): ViewState {
  const asked = (["wall", "cpu", "gil", "ready"] as const).find((one) => one === mode && whyNotMode(recording, one) === null);
  return { ...initial, selection: { ...initial.selection, mode: asked ?? usualMode(recording), byThread } };
}

function usualMode(recording: Recording): Mode {
  const { state, count } = recording.samples;
  let busy = false;
  for (let i = 0; i < count && !busy; i++) busy = (state[i] & 3) !== 0;
  return busy && whyNotMode(recording, "cpu") === null ? "cpu" : widestMode(recording);
}

function matchesOf(recording: Recording, text: string): { error: string | null; functions: Uint8Array | null } {
  if (text === "") return { error: null, functions: null };
  const search = parseSearch(text);
  if (search.pattern === null) return { error: search.error, functions: null };
  return { error: null, functions: matchingFunctions(recording, search.pattern) };
}

function foundIn(tree: CallTree, matching: { error: string | null; functions: Uint8Array | null }): Found {
  const { error, functions } = matching;
  if (functions === null) return { ...nothingFound, error };
  return { error, functions, nodes: matchingNodes(tree, functions), total: matchedTotal(tree, functions) };
}
