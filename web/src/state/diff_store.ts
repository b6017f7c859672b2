// DiffStore: two profiles on the page. Its functions are those of both; its tree is as wide as its side says.

import { computed, type ReadonlySignal } from "@preact/signals";
import { diffOf, diffSideTree, type DiffTree } from "../model/diff";
import { unionOf } from "../model/union";
import type { Recording } from "../recording/recording";
import { ProfileStore, startOf, type Wanted } from "./profile_store";
import type { ViewState } from "./view_state";

export class DiffStore extends ProfileStore {
  readonly diff: ReadonlySignal<DiffTree>;

  constructor(
    readonly before: Recording,
    readonly after: Recording,
    wanted: Wanted = {},
  ) {
    super(unionOf(before, after).recording, startOfBoth(before, after, wanted), (store) => treeOfSide(store as DiffStore));
    const scale = computed(() => (this.state.value.absolute ? "absolute" : "shares"));
    this.diff = computed(() => diffOf(before, after, this.selection.value, scale.value));
    this.side = computed(() => this.state.value.side);
  }

  readonly side: ReadonlySignal<ViewState["side"]>;
}

function treeOfSide(store: DiffStore) {
  const side = store.side.value;
  return side === "difference" ? store.diff.value.tree : diffSideTree(store.diff.value, side);
}

function startOfBoth(before: Recording, after: Recording, wanted: Wanted): ViewState {
  const [one, other] = [startOf(before, wanted), startOf(after, wanted)];
  const both = one.selection.mode === "cpu" ? other : one;
  return { ...both, sort: "difference" };
}
