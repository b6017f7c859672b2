// The views of a profile. Tabs by the rules for tabs: arrow keys between them, one of them in the order of Tab.

import type { ProfileStore } from "../state/profile_store";
import type { View } from "../state/view_state";

export interface TabInfo {
  readonly view: View;
  readonly name: string;
  readonly title: string;
}

export const profileTabs: readonly TabInfo[] = [
  { view: "icicle", name: "Icicle", title: "Where the time goes, callers above" },
  { view: "flame", name: "Flame", title: "Where the time goes, callers below" },
  { view: "chart", name: "Time", title: "What each thread did when" },
  { view: "sandwich", name: "Sandwich", title: "Who calls a function, and what it calls" },
  { view: "top", name: "Top", title: "Functions as a table" },
  { view: "source", name: "Source", title: "Lines and what they cost" },
  { view: "tree", name: "Tree", title: "Calls as a table that unfolds" },
];

export const panelId = "view-panel";

export function Tabs({ store, tabs }: { store: ProfileStore; tabs: readonly TabInfo[] }) {
  const current = store.state.value.view;
  const show = (view: View) => store.change({ view });
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.view === current);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    show(next.view);
    document.getElementById(tabId(next.view))?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Views" onKeyDown={onKeyDown}>
      {tabs.map((tab, i) => (
        <button
          key={tab.view}
          type="button"
          role="tab"
          id={tabId(tab.view)}
          aria-selected={tab.view === current}
          aria-controls={tab.view === current ? panelId : undefined}
          tabIndex={tab.view === current ? 0 : -1}
          title={`${tab.title} (${i + 1})`}
          onClick={() => show(tab.view)}
        >
          {tab.name}
        </button>
      ))}
    </div>
  );
}

export const tabId = (view: View) => `tab-${view}`;
