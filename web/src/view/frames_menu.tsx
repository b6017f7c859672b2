// How stacks are shown: which frames are hidden, and what makes two frames the same.

import { useComputed } from "@preact/signals";
import { Origin, type OriginNumber, type Selection } from "../model/selection";
import type { ProfileStore } from "../state/profile_store";
import { Check } from "./check";
import { Menu } from "./menu";

export const hideable: ReadonlyArray<readonly [OriginNumber, string]> = [
  [Origin.library, "library"],
  [Origin.standardLibrary, "standard library"],
  [Origin.native, "native"],
  [Origin.kernel, "kernel"],
];

/** `both`: of a difference, in which threads and lines of the two do not belong together. */
export function FramesMenu({ store, both = false }: { store: ProfileStore; both?: boolean }) {
  const selection = store.selection.value;
  const present = useComputed(() => new Set(store.origins.value)).value;
  const hide = (origin: OriginNumber, hidden: boolean) =>
    store.select({ hidden: hidden ? [...selection.hidden, origin] : selection.hidden.filter((other) => other !== origin) });
  const active = selection.hidden.length > 0 || selection.byLine || selection.byThread || selection.inverted;
  return (
    <Menu label="Frames" title="Which frames are shown, and how" active={active}>
      <fieldset>
        <legend>Hide frames</legend>
        {hideable.map(([origin, name]) => (
          <Check
            key={name}
            checked={selection.hidden.includes(origin)}
            disabled={!present.has(origin)}
            title={present.has(origin) ? "Their time belongs to who called them" : "There are none in this recording"}
            onChange={(checked) => hide(origin, checked)}
          >
            {name}
          </Check>
        ))}
      </fieldset>
      <fieldset>
        <legend>Arrange</legend>
        {!both && <Shape store={store} part="byThread" title="A root for each thread and process (t)" name="by thread" />}
        {!both && <Shape store={store} part="byLine" title="Calls from different lines apart (l)" name="by line" />}
        <Shape store={store} part="inverted" title="What runs at the root, its callers below (i)" name="inverted" />
      </fieldset>
    </Menu>
  );
}

interface ShapeProps {
  readonly store: ProfileStore;
  readonly part: keyof Pick<Selection, "byThread" | "byLine" | "inverted">;
  readonly name: string;
  readonly title: string;
}

function Shape({ store, part, name, title }: ShapeProps) {
  return (
    <Check checked={store.selection.value[part]} title={title} onChange={(checked) => store.select({ [part]: checked })}>
      {name}
    </Check>
  );
}
