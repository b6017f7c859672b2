// What each thread did when: its calls in the order of time, and above them what it was doing.

import { useComputed, useSignal } from "@preact/signals";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { chartOf } from "../model/chart";
import { duration } from "../model/format";
import { processLabel, threadLabel } from "../model/labels";
import { frameText } from "../model/stack_text";
import { unitOf, widestMode } from "../model/weights";
import type { ProfileStore } from "../state/profile_store";
import { theme } from "../state/theme";
import { layOutChart } from "./chart_layout";
import type { ChartBox } from "./chart_painter";
import { ChartStage, type ChartActions, type ChartModel } from "./chart_stage";
import type { FrameFacts } from "./frame_facts";
import { NothingSelected } from "./flame_view";
import { functionFills } from "./function_fills";
import { Swatches } from "./legend";
import { bandKinds, bandNames, themes } from "./palette";
import { Tooltip, type Tip } from "./tooltip";

export function ChartView({ store }: { store: ProfileStore }) {
  const selected = useSignal<ChartBox | null>(null);
  const unfolded = useSignal<ReadonlySet<number>>(new Set());
  const charts = useComputed(() => {
    const recording = store.recording.value;
    const selection = store.selection.value;
    const calls = chartOf(recording, selection);
    // The band always tells of all states: that is what it is for.
    const widest = widestMode(recording);
    return { calls, bands: selection.mode === widest ? calls : chartOf(recording, { ...selection, mode: widest }) };
  });
  const layout = useComputed(() => {
    const { bands, calls } = charts.value;
    return { ...layOutChart(bands, calls, unfolded.value), to: Math.max(bands.to, 1) };
  });
  const fills = useComputed(() => functionFills(store.recording.value, store.origins.value));
  const model = useComputed<ChartModel>(() => chartModel(store, layout.value, fills.value, selected.value));
  if (layout.value.lanes.length === 0) return <NothingSelected store={store} />;
  const shown = model.value.shown;
  const isTimed = unitOf(store.recording.value) === "nanoseconds" && store.recording.value.durationNs > 0;
  return (
    <div class="view">
      {!isTimed && <p class="damage">This profile does not say when its samples were taken: they stand one after the other.</p>}
      <ChartCanvas
        store={store}
        model={model.value}
        actions={{
          select: (box) => {
            selected.value = box;
            const facts = boxFacts(store, box);
            store.announcement.value = `${facts.name}: ${facts.facts.map((fact) => `${fact.name} ${fact.text}`).join(", ")}`;
            store.change({ function: store.recording.value.functions.count > 0 ? functionOf(box) : null }, "same");
          },
          show: (range) => store.change({ chart: range }, "same"),
          time: (time) => isTimed && store.select({ time }),
          fold: (thread) => {
            const next = new Set(unfolded.value);
            if (!next.delete(thread)) next.add(thread);
            unfolded.value = next;
          },
        }}
      />
      <div class="chart-foot">
        <Swatches label="States" entries={bandKinds.map((kind) => ({ name: bandNames[kind], colour: themes[theme.value].bands[kind], strip: false }))} />
        <button type="button" disabled={!isTimed} title="All views show only this time (r, or drag in the chart)" onClick={() => store.select({ time: shown })}>
          Select the time that is shown
        </button>
        <button type="button" disabled={store.state.value.chart === null} onClick={() => store.change({ chart: null })}>
          Show all
        </button>
      </div>
    </div>
  );
}

type Layout = ReturnType<typeof layOutChart> & { readonly to: number };

function chartModel(store: ProfileStore, layout: Layout, fills: Uint8Array, selected: ChartBox | null): ChartModel {
  const recording = store.recording.value;
  const matching = store.found.value.functions;
  const whole: readonly [number, number] = [0, layout.to];
  const { chart } = store.state.value;
  return {
    layout,
    whole,
    shown: chart !== null && chart[0] < layout.to ? [chart[0], Math.min(chart[1], layout.to)] : whole,
    theme: themes[theme.value],
    fillOf: (number) => fills[number],
    nameOf: (number) => recording.strings[recording.functions.name[number]],
    threadName: (thread) => threadText(store, thread),
    matches: matching === null ? null : (number) => matching[number] === 1,
    selected: selected === null ? null : { ...selected, lane: layout.lanes.find((lane) => lane.thread.thread === selected.lane.thread.thread) ?? selected.lane },
    time: store.state.value.selection.time,
  };
}

function threadText(store: ProfileStore, number: number): string {
  const { threads, processes } = store.recording.value;
  const thread = threads[number];
  const process = processes.length > 1 ? processes[thread.process] : undefined;
  return process === undefined ? threadLabel(thread) : `${threadLabel(thread)} · ${processLabel(process)}`;
}

const functionOf = ({ lane, depth, box }: ChartBox) => lane.calls!.rows[depth].what[box];

function boxFacts(store: ProfileStore, box: ChartBox): FrameFacts {
  const recording = store.recording.value;
  const row = box.lane.calls!.rows[box.depth];
  const number = functionOf(box);
  const start = row.start[box.box];
  const end = row.end[box.box];
  return {
    name: store.nameOfFunction(number),
    place: frameText(recording, number, recording.functions.firstLine[number]).replace(/^.* \((.*)\)$/, "$1"),
    facts: [
      { name: "seen for", text: duration(end - start) },
      { name: "from", text: duration(start) },
      { name: "to", text: duration(end) },
      { name: "in", text: threadText(store, box.lane.thread.thread) },
    ],
  };
}

interface ChartCanvasProps {
  readonly store: ProfileStore;
  readonly model: ChartModel;
  readonly actions: Omit<ChartActions, "hover">;
}

function ChartCanvas(props: ChartCanvasProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const stage = useRef<ChartStage | null>(null);
  const [tip, setTip] = useState<Tip | null>(null);
  const latest = useRef(props);
  latest.current = props;
  // Before the browser goes on: an effect that comes late would take back what a key has moved meanwhile.
  useLayoutEffect(() => {
    const made = new ChartStage(scroller.current!, canvas.current!, spacer.current!, latest.current.model, {
      select: (box) => latest.current.actions.select(box),
      show: (range) => latest.current.actions.show(range),
      time: (range) => latest.current.actions.time(range),
      fold: (thread) => latest.current.actions.fold(thread),
      hover: (box, x, y) => setTip(box === null ? null : { facts: boxFacts(latest.current.store, box), x, y }),
    });
    stage.current = made;
    return () => made.dispose();
  }, []);
  useLayoutEffect(() => stage.current?.show(props.model), [props.model]);
  return (
    <div class="flame">
      <div
        class="scroller"
        ref={scroller}
        tabIndex={0}
        role="application"
        aria-label="Calls of each thread in the order of time. Arrow keys move between calls, plus and minus zoom, r selects the time that is shown."
      >
        <canvas class="canvas" ref={canvas} aria-hidden="true" />
        <div ref={spacer} />
      </div>
      <Tooltip tip={tip} />
    </div>
  );
}
