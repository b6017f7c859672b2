// The selected frame, and what can be done with it: the same for mouse, finger and keyboard.

import { noFunction } from "../model/call_tree";
import { nodeName } from "../model/stack_text";
import type { ProfileStore } from "../state/profile_store";
import { copyStack, focusSelected, openSandwich, openSource } from "./actions";
import { frameFacts } from "./frame_facts";

const longestPlace = 56; // characters

/** The end of a long path: it tells more than its beginning. */
const tail = (text: string) => (text.length > longestPlace ? `…${text.slice(-longestPlace)}` : text);

export function Details({ store }: { store: ProfileStore }) {
  const tree = store.tree.value;
  const node = store.selected.value;
  // There before anything is selected, so that nothing moves under the pointer between the two clicks of a double click.
  if (node < 0) {
    return (
      <section class="details quiet" aria-label="No frame is selected">
        Select a frame: click it, or press an arrow key.
      </section>
    );
  }
  const { name, place, facts } = frameFacts(store.recording.value, tree, node);
  const isCall = tree.function[node] !== noFunction;
  return (
    <section class="details" aria-label={`Selected frame: ${nodeName(tree, store.recording.value, node)}`}>
      <div class="details-what">
        <strong title={name}>{name}</strong>
        {place !== "" && <span class="place" title={place}>{tail(place)}</span>}
      </div>
      <dl class="facts">
        {facts.map((fact) => (
          <div key={fact.name}>
            <dt>{fact.name}</dt>
            <dd>{fact.text}</dd>
          </div>
        ))}
      </dl>
      <div class="details-tools">
        <button type="button" title="As wide as the page (Enter)" onClick={() => store.zoomTo(node)}>
          Zoom
        </button>
        <button type="button" disabled={!isCall} title="Only stacks with this function (f)" onClick={() => focusSelected(store)}>
          Focus
        </button>
        <button type="button" disabled={!isCall} title="Callers and callees (s)" onClick={() => openSandwich(store)}>
          Sandwich
        </button>
        <button type="button" disabled={!isCall} title="Its lines (o)" onClick={() => openSource(store)}>
          Source
        </button>
        <button type="button" title="Copy the stack as text (c)" onClick={() => copyStack(store)}>
          Copy stack
        </button>
      </div>
    </section>
  );
}
