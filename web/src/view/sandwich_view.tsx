// One function between those that call it, above, and those that it calls, below.

import { useComputed, useSignal, type Signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { noFunction, type CallTree } from "../model/call_tree";
import { share, value } from "../model/format";
import { sandwichOf } from "../model/sandwich";
import { frameText, nodeName } from "../model/stack_text";
import { sortTop, topOf } from "../model/top";
import type { ProfileStore } from "../state/profile_store";
import { theme } from "../state/theme";
import { frameFacts, spoken } from "./frame_facts";
import { FlameCanvas } from "./flame_canvas";
import type { FlameModel } from "./flame_stage";
import { NothingSelected } from "./flame_view";
import { functionFills } from "./function_fills";
import { FunctionTable } from "./function_table";
import { neutralFill, themes } from "./palette";

export function SandwichView({ store }: { store: ProfileStore }) {
  const heaviest = useComputed(() => heaviestFunction(store));
  if (store.tree.value.total[0] <= 0) return <NothingSelected store={store} />;
  const number = chosenFunction(store) ?? heaviest.value;
  const open = (next: number) => store.change({ function: next });
  return (
    <div class="view split">
      <FunctionTable store={store} label="Functions to look at" active={number} narrow onActive={open} onOpen={open} />
      {number === null ? (
        <div class="empty">
          <p>No function matches.</p>
        </div>
      ) : (
        <Sandwich store={store} number={number} />
      )}
    </div>
  );
}

function chosenFunction(store: ProfileStore): number | null {
  const chosen = store.state.value.function ?? store.functionOf(store.selected.value);
  return chosen !== null && chosen < store.recording.value.functions.count ? chosen : null;
}

/** Where nothing was chosen yet, the function that took most itself. */
function heaviestFunction(store: ProfileStore): number | null {
  const top = topOf(store.tree.value, store.recording.value);
  const rows = sortTop(top, store.recording.value, { column: "self", ascending: false, matching: store.found.value.functions });
  return rows.length === 0 ? null : top.function[rows[0]];
}

function Sandwich({ store, number }: { store: ProfileStore; number: number }) {
  const recording = store.recording.value;
  const selection = store.selection.value;
  const { callers, callees, total, self } = useMemo(() => sandwichOf(recording, selection, number), [recording, selection, number]);
  const whole = store.tree.value.total[0];
  return (
    <div class="sandwich">
      <Half store={store} tree={callers} upward name="Callers" />
      <div class="sandwich-middle">
        <strong title={frameText(recording, number, recording.functions.firstLine[number])}>{store.nameOfFunction(number)}</strong>
        <span>
          total {value(total, callees.unit)} ({share(total, whole)}) · self {value(self, callees.unit)} ({share(self, whole)})
        </span>
        <span class="quiet">↑ callers · callees ↓</span>
      </div>
      <Half store={store} tree={callees} upward={false} name="Callees" />
    </div>
  );
}

interface HalfProps {
  readonly store: ProfileStore;
  readonly tree: CallTree;
  readonly upward: boolean;
  readonly name: string;
}

function Half({ store, tree, upward, name }: HalfProps) {
  const selected = useSignal(-1);
  const range = useSignal<readonly [number, number] | null>(null);
  const model = halfModel({ store, tree, upward, name }, selected, range);
  const factsOf = (node: number) => frameFacts(store.recording.value, tree, node);
  return (
    <FlameCanvas
      label={`${name}. Arrow keys move between frames, Enter looks at the function of a frame.`}
      model={model}
      factsOf={factsOf}
      actions={{
        select: (node) => {
          selected.value = node;
          store.announcement.value = spoken(factsOf(node));
        },
        zoom: (node) => {
          if (tree.function[node] !== noFunction) store.change({ function: tree.function[node] });
        },
        range: (next) => (range.value = next),
      }}
    />
  );
}

function halfModel(half: HalfProps, selected: Signal<number>, range: Signal<readonly [number, number] | null>): FlameModel {
  const { store, tree, upward } = half;
  const recording = store.recording.value;
  const fills = useComputed(() => functionFills(store.recording.value, store.origins.value)).value;
  const matching = store.found.value.functions;
  return {
    tree,
    upward,
    // The line between the halves stands for the function itself.
    skip: store.selection.value.byThread ? 1 : 2,
    zoomed: 0,
    range: range.value,
    selected: selected.value < tree.count ? selected.value : -1,
    theme: themes[theme.value],
    fills: themes[theme.value].fills,
    fillOf: (node) => (tree.function[node] === noFunction ? neutralFill : fills[tree.function[node]]),
    nameOf: (node) => nodeName(tree, recording, node),
    matches: matching === null ? null : (node) => tree.function[node] !== noFunction && matching[tree.function[node]] === 1,
  };
}
