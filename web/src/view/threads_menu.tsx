// Threads and processes to look at, each with its share of what the mode counts.

import { useComputed } from "@preact/signals";
import { useState } from "preact/hooks";
import { count, share } from "../model/format";
import { processLabel, threadLabel } from "../model/labels";
import { weightsByThread } from "../model/weights";
import type { ProfileStore } from "../state/profile_store";
import { Check } from "./check";
import { Menu } from "./menu";

const shownAtMost = 300; // more are found by typing a part of their name

export function ThreadsMenu({ store }: { store: ProfileStore }) {
  const { threads, processes } = store.selection.value;
  const all = store.recording.value.threads.length;
  const chosen = threads === null ? all : threads.length;
  const active = threads !== null || processes !== null;
  const label = chosen === all ? `${count(all)} ${all === 1 ? "thread" : "threads"}` : `${count(chosen)} of ${count(all)} threads`;
  return (
    <Menu label={label} title="Threads and processes" active={active}>
      <Processes store={store} />
      <Threads store={store} />
      {active && (
        <button type="button" onClick={() => store.select({ threads: null, processes: null })}>
          All threads
        </button>
      )}
    </Menu>
  );
}

/** Switches one of a list on or off; all of them is null. */
export function toggled(chosen: readonly number[] | null, number: number, all: number): readonly number[] | null {
  const before = chosen ?? Array.from({ length: all }, (_, i) => i);
  const after = before.includes(number) ? before.filter((other) => other !== number) : [...before, number].sort((a, b) => a - b);
  return after.length === all ? null : after;
}

function Processes({ store }: { store: ProfileStore }) {
  const { processes } = store.recording.value;
  const weights = useThreadWeights(store);
  if (processes.length < 2) return null;
  const chosen = store.selection.value.processes;
  const sums = new Float64Array(processes.length);
  store.recording.value.threads.forEach((thread, i) => (sums[thread.process] += weights[i]));
  return (
    <fieldset>
      <legend>Processes</legend>
      <div class="choices">
        {heaviest(sums, shownAtMost).map((i) => (
          <Choice
            key={i}
            name={processLabel(processes[i])}
            share={share(sums[i], sum(sums))}
            checked={chosen === null || chosen.includes(i)}
            onToggle={() => store.select({ processes: toggled(chosen, i, processes.length) })}
            onOnly={() => store.select({ processes: [i] })}
          />
        ))}
      </div>
    </fieldset>
  );
}

function Threads({ store }: { store: ProfileStore }) {
  const { threads } = store.recording.value;
  const weights = useThreadWeights(store);
  const [filter, setFilter] = useState("");
  const chosen = store.selection.value.threads;
  const names = threads.map(threadLabel);
  const listed = heaviest(weights, threads.length).filter((i) => names[i].toLowerCase().includes(filter.toLowerCase()));
  return (
    <fieldset>
      <legend>Threads</legend>
      {threads.length > 8 && (
        <input type="search" aria-label="Find a thread" placeholder="Find a thread" value={filter} onInput={(event) => setFilter(event.currentTarget.value)} />
      )}
      <div class="choices">
        {listed.slice(0, shownAtMost).map((i) => (
          <Choice
            key={i}
            name={names[i]}
            share={share(weights[i], sum(weights))}
            checked={chosen === null || chosen.includes(i)}
            onToggle={() => store.select({ threads: toggled(chosen, i, threads.length) })}
            onOnly={() => store.select({ threads: [i] })}
          />
        ))}
        {listed.length > shownAtMost && <p>{count(listed.length - shownAtMost)} more: type a part of their name</p>}
      </div>
    </fieldset>
  );
}

interface ChoiceProps {
  readonly name: string;
  readonly share: string;
  readonly checked: boolean;
  readonly onToggle: () => void;
  readonly onOnly: () => void;
}

function Choice({ name, share: part, checked, onToggle, onOnly }: ChoiceProps) {
  return (
    <div class="choice">
      <Check checked={checked} onChange={onToggle}>
        {name}
      </Check>
      <span class="choice-share">{part}</span>
      <button type="button" class="plain" aria-label={`Only ${name}`} onClick={onOnly}>
        only
      </button>
    </div>
  );
}

function useThreadWeights(store: ProfileStore): Float64Array {
  return useComputed(() => weightsByThread(store.recording.value, store.selection.value)).value;
}

function heaviest(weights: Float64Array, most: number): number[] {
  return Array.from(weights.keys()).sort((a, b) => weights[b] - weights[a]).slice(0, most);
}

const sum = (values: Float64Array) => values.reduce((total, one) => total + one, 0);
