// Two profiles: what became slower, orange, and what became faster, blue.

import { useComputed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { noFunction } from "../model/call_tree";
import { nodeName } from "../model/stack_text";
import type { Recording } from "../recording/recording";
import { DiffStore } from "../state/diff_store";
import type { Wanted } from "../state/profile_store";
import { theme } from "../state/theme";
import { sides } from "../state/view_state";
import { Breadcrumbs } from "./breadcrumbs";
import { Check } from "./check";
import { Chips } from "./chips";
import { diffFacts } from "./diff_facts";
import { DiffTable } from "./diff_table";
import { FlameCanvas } from "./flame_canvas";
import type { FlameModel } from "./flame_stage";
import { NothingSelected } from "./flame_view";
import { spoken } from "./frame_facts";
import { FramesMenu } from "./frames_menu";
import { Brand, Damage, FactLine, ThemeButton } from "./header";
import { Help } from "./help";
import { Swatches } from "./legend";
import { ModeSwitch } from "./mode_switch";
import { diffFill, diffThemes, themes } from "./palette";
import { UndoButtons, usePageKeys } from "./profile_page";
import { commandOf } from "./recording_facts";
import { SearchBox } from "./search_box";

export interface DiffPageProps {
  readonly recordings: readonly [Recording, Recording];
  readonly wanted?: Wanted;
}

export function DiffPage({ recordings, wanted }: DiffPageProps) {
  const store = useMemo(() => new DiffStore(recordings[0], recordings[1], wanted), [recordings]);
  const help = useSignal(false);
  usePageKeys(store, [], () => (help.value = true));
  return (
    <div class="page">
      <header class="header">
        <div class="header-row">
          <Brand />
          <h1 class="command">Difference of two profiles</h1>
          <div class="header-tools">
            <button type="button" class="plain" title="Keys (?)" aria-label="Help: list of keys" onClick={() => (help.value = true)}>
              ?
            </button>
            <ThemeButton />
          </div>
        </div>
        <SideFacts name="Before" recording={store.before} />
        <SideFacts name="After" recording={store.after} />
      </header>
      <DiffToolbar store={store} />
      <main class="panel">
        <div class="way">
          <Chips store={store} />
          <Breadcrumbs store={store} />
        </div>
        <div class="panel-view">{store.tree.value.total[0] > 0 ? <Difference store={store} /> : <NothingSelected store={store} />}</div>
      </main>
      <div class="visually-hidden" aria-live="polite">
        {store.announcement}
      </div>
      {help.value && <Help tabs={[]} onClose={() => (help.value = false)} />}
    </div>
  );
}

function SideFacts({ name, recording }: { name: string; recording: Recording }) {
  return (
    <div class="side-facts">
      <strong>{name}</strong>
      <code title={commandOf(recording)}>{commandOf(recording)}</code>
      <FactLine recording={recording} />
      <Damage recording={recording} />
    </div>
  );
}

function DiffToolbar({ store }: { store: DiffStore }) {
  const { side, absolute } = store.state.value;
  return (
    <section class="toolbar" aria-label="Controls">
      <div class="segments" role="radiogroup" aria-label="Widths">
        {sides.map((choice) => (
          <label key={choice}>
            <input type="radio" name="side" checked={side === choice} onChange={() => store.change({ side: choice })} />
            <span>{choice[0].toUpperCase() + choice.slice(1)}</span>
          </label>
        ))}
      </div>
      <SearchBox store={store} />
      <div class="controls open">
        <Check
          checked={absolute}
          title="Compare times as they are, not each profile to its own total"
          onChange={(checked) => store.change({ absolute: checked })}
        >
          absolute
        </Check>
        <ModeSwitch recordings={[store.before, store.after]} mode={store.selection.value.mode} onChange={(mode) => store.select({ mode })} />
        <FramesMenu store={store} both />
        <UndoButtons store={store} />
      </div>
    </section>
  );
}

function Difference({ store }: { store: DiffStore }) {
  const model = useComputed<FlameModel>(() => diffModel(store));
  const factsOf = (node: number) => diffFacts(store.diff.value, node);
  const selected = store.selected.value;
  return (
    <div class="view">
      <div class="view split diff-split">
        <FlameCanvas
          label="Icicle graph of both profiles. Arrow keys move between frames, Enter zooms, Escape goes back."
          model={model.value}
          factsOf={factsOf}
          actions={{
            select: (node) => {
              store.selectNode(node);
              store.change({ function: store.functionOf(node) }, "same");
              store.announcement.value = spoken(factsOf(node));
            },
            zoom: (node) => store.zoomTo(node),
            range: (range) => store.change({ range }, "same"),
          }}
        />
        <DiffTable store={store} />
      </div>
      {selected >= 0 && <p class="diff-details">{spoken(factsOf(selected))}</p>}
      <DiffLegend />
    </div>
  );
}

function diffModel(store: DiffStore): FlameModel {
  const tree = store.tree.value;
  const { delta, recording } = store.diff.value;
  const matching = store.found.value.functions;
  return {
    tree,
    upward: false,
    skip: 0,
    zoomed: store.zoomed.value,
    range: store.state.value.range,
    selected: store.selected.value,
    theme: themes[theme.value],
    fills: diffThemes[theme.value].fills,
    fillOf: (node) => diffFill(delta[node]),
    nameOf: (node) => nodeName(tree, recording, node),
    matches: matching === null ? null : (node) => tree.function[node] !== noFunction && matching[tree.function[node]] === 1,
  };
}

function DiffLegend() {
  const { fills } = diffThemes[theme.value];
  const entries = [
    { name: "less by 10 % of all", colour: fills[0], strip: false },
    { name: "the same", colour: fills[(fills.length - 1) / 2], strip: false },
    { name: "more by 10 % of all", colour: fills[fills.length - 1], strip: false },
  ];
  return <Swatches label="Colours" entries={entries} />;
}
