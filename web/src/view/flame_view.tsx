// The flame graph (root below) and the icicle (root above) of what is selected.

import { useComputed } from "@preact/signals";
import { noFunction } from "../model/call_tree";
import { value } from "../model/format";
import { nodeName } from "../model/stack_text";
import type { ProfileStore } from "../state/profile_store";
import { theme } from "../state/theme";
import { frameFacts, spoken } from "./frame_facts";
import { FlameCanvas } from "./flame_canvas";
import type { FlameModel } from "./flame_stage";
import { functionFills } from "./function_fills";
import { Legend } from "./legend";
import { neutralFill, themes } from "./palette";

export function FlameView({ store }: { store: ProfileStore }) {
  const fills = useComputed(() => functionFills(store.recording.value, store.origins.value));
  const model = useComputed<FlameModel>(() => {
    const tree = store.tree.value;
    const recording = store.recording.value;
    const { view, range } = store.state.value;
    const matching = store.found.value.functions;
    const byFunction = fills.value;
    return {
      tree,
      upward: view === "flame",
      zoomed: store.zoomed.value,
      range,
      skip: 0,
      selected: store.selected.value,
      theme: themes[theme.value],
      fills: themes[theme.value].fills,
      fillOf: (node) => (tree.function[node] === noFunction ? neutralFill : byFunction[tree.function[node]]),
      nameOf: (node) => (tree.line[node] > 0 ? `${nodeName(tree, recording, node)}:${tree.line[node]}` : nodeName(tree, recording, node)),
      matches:
        matching === null ? null : (node) => tree.function[node] !== noFunction && matching[tree.function[node]] === 1,
    };
  });
  const factsOf = (node: number) => frameFacts(store.recording.value, store.tree.value, node);
  const select = (node: number) => {
    store.selectNode(node);
    store.announcement.value = spoken(factsOf(node));
  };
  if (store.tree.value.total[0] <= 0) return <NothingSelected store={store} />;
  return (
    <div class="view">
      <FlameCanvas
        label={`${model.value.upward ? "Flame graph" : "Icicle graph"}. Arrow keys move between frames, Enter zooms, Escape goes back. The Tree view shows the same as a table.`}
        model={model.value}
        factsOf={factsOf}
        actions={{
          select,
          zoom: (node) => store.zoomTo(node),
          range: (range) => store.change({ range }, "same"),
        }}
      />
      {store.tree.value.cut > 0 && (
        <p class="damage">
          The callers of {value(store.tree.value.cut, store.tree.value.unit)} are too many to be shown: the lightest and outermost are left out.
        </p>
      )}
      <Legend tree={store.tree.value} origins={store.origins.value} />
    </div>
  );
}

export function NothingSelected({ store }: { store: ProfileStore }) {
  const { mode } = store.selection.value;
  const idle = mode !== "wall" && store.recording.value.samples.count > 0;
  return (
    <div class="view empty">
      <p>No sample is selected.</p>
      {idle && <p>Wall mode also shows threads that wait.</p>}
      <button type="button" onClick={() => store.change({ selection: { ...store.start.selection, mode: idle ? "wall" : mode } })}>
        Show everything
      </button>
    </div>
  );
}
