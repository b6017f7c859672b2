// Search: a regular expression, what it matches together, and the way from match to match.

import { count, share, value } from "../model/format";
import type { ProfileStore } from "../state/profile_store";

export const searchId = "search";

export function SearchBox({ store }: { store: ProfileStore }) {
  const { search } = store.state.value;
  const { error } = store.found.value;
  const onInput = (event: Event) => {
    const text = (event.currentTarget as HTMLInputElement).value;
    store.change({ search: text }, search === "" || text === "" ? "step" : "same");
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === "Enter") store.goToMatch(event.shiftKey);
    if (event.key !== "Escape") return;
    if (search !== "") store.change({ search: "" });
    (event.currentTarget as HTMLElement).blur();
  };
  return (
    <div class="search" role="search">
      <input
        id={searchId}
        type="search"
        placeholder="Search  /"
        aria-label="Search functions by a regular expression"
        aria-invalid={error !== null}
        aria-describedby="search-result"
        value={search}
        spellcheck={false}
        autocomplete="off"
        onInput={onInput}
        onKeyDown={onKeyDown}
      />
      <SearchResult store={store} />
    </div>
  );
}

function SearchResult({ store }: { store: ProfileStore }) {
  const { error, functions, nodes, total } = store.found.value;
  const tree = store.tree.value;
  const text =
    error !== null
      ? error
      : functions === null
        ? ""
        : nodes.length === 0
          ? "no match"
          : `${share(total, tree.total[0])} · ${value(total, tree.unit)} · ${count(nodes.length)} ${nodes.length === 1 ? "frame" : "frames"}`;
  return (
    <span id="search-result" class={error === null ? "search-result" : "search-result error"} role="status">
      {text}
    </span>
  );
}
