// The way from the root to the node that was zoomed into; each step leads back to it. A long way is cut in its middle.

import { nodeName } from "../model/stack_text";
import type { ProfileStore } from "../state/profile_store";

const shownAtEnds = 3;

export function Breadcrumbs({ store }: { store: ProfileStore }) {
  const tree = store.tree.value;
  const zoomed = store.zoomed.value;
  if (zoomed === 0 && store.state.value.range === null) return null;
  const way: number[] = [];
  for (let node = zoomed; node >= 0; node = tree.parent[node]) way.push(node);
  way.reverse();
  const cut = way.length > 2 * shownAtEnds + 1;
  const shown = cut ? [...way.slice(0, shownAtEnds), -1, ...way.slice(-shownAtEnds)] : way;
  return (
    <nav class="breadcrumbs" aria-label="Zoomed into">
      <ol>
        {shown.map((node) => (
          <li key={node}>
            {node < 0 ? (
              <span>… {way.length - 2 * shownAtEnds} …</span>
            ) : (
              <button
                type="button"
                class="plain"
                aria-current={node === zoomed ? "location" : undefined}
                onClick={() => store.zoomTo(node)}
              >
                {nodeName(tree, store.recording.value, node)}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
