// One profile: what it is, what to look at, and the view.

import { useComputed, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { LocationFollower } from "../state/location";
import type { ProfileStore } from "../state/profile_store";
import type { View } from "../state/view_state";
import { Breadcrumbs } from "./breadcrumbs";
import { ChartView } from "./chart_view";
import { Chips } from "./chips";
import { Details } from "./details";
import { FlameView } from "./flame_view";
import { FramesMenu } from "./frames_menu";
import { Header } from "./header";
import { Help } from "./help";
import { handleKey } from "./keys";
import { ModeSwitch } from "./mode_switch";
import { SandwichView } from "./sandwich_view";
import { SearchBox } from "./search_box";
import { SourceView } from "./source_view";
import { Tabs, panelId, profileTabs, tabId, type TabInfo } from "./tabs";
import { ThreadsMenu } from "./threads_menu";
import { TopView } from "./top_view";
import { TreeView } from "./tree_view";

const hasNodes: readonly View[] = ["icicle", "flame", "tree"]; // views in which a frame of the tree is selected

export interface ProfilePageProps {
  readonly store: ProfileStore;
  readonly growing?: boolean; // the recording goes on
  readonly tools?: ComponentChildren; // beside those that every page has
}

export function ProfilePage({ store, growing = false, tools }: ProfilePageProps) {
  const help = useSignal(false);
  const view = useComputed(() => store.state.value.view).value;
  usePageKeys(store, profileTabs, () => (help.value = true));
  return (
    <div class="page">
      <Header recording={store.recording.value} growing={growing}>
        {tools}
        <button type="button" class="plain" title="Keys (?)" aria-label="Help: list of keys" onClick={() => (help.value = true)}>
          ?
        </button>
      </Header>
      <Toolbar store={store} />
      <main class="panel">
        <div class="way">
          <Chips store={store} />
          <Breadcrumbs store={store} />
        </div>
        <div class="panel-view" role="tabpanel" id={panelId} aria-labelledby={tabId(view)}>
          <CurrentView store={store} view={view} />
        </div>
      </main>
      {hasNodes.includes(view) && <Details store={store} />}
      <div class="visually-hidden" aria-live="polite">
        {store.announcement}
      </div>
      {help.value && <Help tabs={profileTabs} onClose={() => (help.value = false)} />}
    </div>
  );
}

/** The URL and the keys belong to the page as long as it is there, from its first picture on. */
export function usePageKeys(store: ProfileStore, tabs: readonly TabInfo[], showHelp: () => void): void {
  useLayoutEffect(() => {
    const follower = new LocationFollower(store);
    const onKey = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && handleKey(event, { store, tabs, showHelp })) event.preventDefault();
    };
    document.addEventListener("keydown", onKey);
    return () => {
      follower.stop();
      document.removeEventListener("keydown", onKey);
    };
  }, [store]);
}

function Toolbar({ store }: { store: ProfileStore }) {
  const open = useSignal(false);
  return (
    <section class="toolbar" aria-label="Controls">
      <Tabs store={store} tabs={profileTabs} />
      <SearchBox store={store} />
      <button type="button" class="sheet-button" aria-expanded={open.value} aria-controls="controls" onClick={() => (open.value = !open.value)}>
        Options
      </button>
      <div class={open.value ? "controls open" : "controls"} id="controls">
        <ModeSwitch
          recordings={[store.recording.value]}
          mode={store.selection.value.mode}
          onChange={(mode) => store.select({ mode })}
        />
        <ThreadsMenu store={store} />
        <FramesMenu store={store} />
        <UndoButtons store={store} />
      </div>
    </section>
  );
}

export function UndoButtons({ store }: { store: ProfileStore }) {
  const { past, future } = store.history.value;
  return (
    <div class="undo">
      <button type="button" class="plain" aria-label="Undo" title="Undo (u, Ctrl+Z)" disabled={past.length === 0} onClick={() => store.undo()}>
        ↶
      </button>
      <button type="button" class="plain" aria-label="Redo" title="Redo (U, Ctrl+Y)" disabled={future.length === 0} onClick={() => store.redo()}>
        ↷
      </button>
    </div>
  );
}

function CurrentView({ store, view }: { store: ProfileStore; view: View }) {
  switch (view) {
    case "chart":
      return <ChartView store={store} />;
    case "sandwich":
      return <SandwichView store={store} />;
    case "top":
      return <TopView store={store} />;
    case "source":
      return <SourceView store={store} />;
    case "tree":
      return <TreeView store={store} />;
    default:
      return <FlameView store={store} />;
  }
}
