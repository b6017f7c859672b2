// What the colours mean: only those that are there.

import { useMemo } from "preact/hooks";
import { noFunction, type CallTree } from "../model/call_tree";
import { theme } from "../state/theme";
import { kindNames, kindOf, kinds, themes, tints, type Kind } from "./palette";

export function Legend({ tree, origins }: { tree: CallTree; origins: Uint8Array }) {
  const present = useMemo(() => kindsIn(tree, origins), [tree, origins]);
  const colours = themes[theme.value];
  const entries = kinds
    .filter((kind) => present.has(kind))
    .map((kind) => ({ name: kindNames[kind], colour: colours.fills[kinds.indexOf(kind) * tints + 2], strip: false }));
  if (tree.waitingForGil[0] > 0) entries.push({ name: "waiting for the GIL", colour: colours.gil, strip: true });
  if (tree.inGc[0] > 0) entries.push({ name: "collecting garbage", colour: colours.gc, strip: true });
  return <Swatches label="Colours" entries={entries} />;
}

export interface Swatch {
  readonly name: string;
  readonly colour: string;
  readonly strip: boolean;
}

export function Swatches({ label, entries }: { label: string; entries: readonly Swatch[] }) {
  return (
    <ul class="legend" aria-label={label}>
      {entries.map(({ name, colour, strip }) => (
        <li key={name}>
          <span class={strip ? "swatch strip" : "swatch"} style={{ background: colour }} aria-hidden="true" />
          {name}
        </li>
      ))}
    </ul>
  );
}

// Few functions make many nodes: each is looked at once.
function kindsIn(tree: CallTree, origins: Uint8Array): Set<Kind> {
  const seen = new Uint8Array(origins.length);
  const found = new Set<Kind>();
  for (let node = 1; node < tree.count; node++) {
    const number = tree.function[node];
    if (number === noFunction || seen[number] === 1) continue;
    seen[number] = 1;
    found.add(kindOf(origins[number]));
  }
  return found;
}
