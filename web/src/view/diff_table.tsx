// The functions of both profiles, those that changed most first.

import { useComputed } from "@preact/signals";
import { diffTop } from "../model/diff";
import { share, shareDelta } from "../model/format";
import { frameText } from "../model/stack_text";
import type { DiffStore } from "../state/diff_store";
import { theme } from "../state/theme";
import { SortHead } from "./function_table";
import { diffFill, diffThemes, themes } from "./palette";
import { ColumnHead, VirtualGrid } from "./virtual_grid";

export function DiffTable({ store }: { store: DiffStore }) {
  const top = useComputed(() => diffTop(store.diff.value));
  const rows = useComputed(() => sortedRows(store, top.value));
  const { before, after, recording } = store.diff.value;
  const { selfBefore, selfAfter, selfDelta } = top.value;
  const number = store.state.value.function ?? store.functionOf(store.selected.value);
  return (
    <VirtualGrid
      role="grid"
      label="Functions by how much they changed"
      className="diff-grid"
      count={rows.value.length}
      active={number === null ? -1 : rows.value.findIndex((row) => top.value.function[row] === number)}
      head={
        <>
          <SortHead store={store} column="difference" name="Self ±" className="cell-share" />
          <SortHead store={store} column="before" name="Before" className="cell-share" />
          <SortHead store={store} column="after" name="After" className="cell-share" />
          <ColumnHead name="Function" className="cell-name" />
        </>
      }
      row={(index) => {
        const row = rows.value[index];
        const its = top.value.function[row];
        const colours = { background: diffThemes[theme.value].fills[diffFill(selfDelta[row])], color: themes[theme.value].ink };
        return (
          <>
            <div role="gridcell" class="cell-share" style={colours}>{shareDelta(selfDelta[row])}</div>
            <div role="gridcell" class="cell-share">{share(selfBefore[row], before.whole)}</div>
            <div role="gridcell" class="cell-share">{share(selfAfter[row], after.whole)}</div>
            <div role="gridcell" class="cell-name" title={frameText(recording, its, recording.functions.firstLine[its])}>
              {store.nameOfFunction(its)}
            </div>
          </>
        );
      }}
      onActive={(index) => store.change({ function: top.value.function[rows.value[index]] }, "same")}
      onOpen={(index) => store.select({ focus: top.value.function[rows.value[index]] })}
    />
  );
}

function sortedRows(store: DiffStore, top: ReturnType<typeof diffTop>): number[] {
  const { sort, ascending } = store.state.value;
  const matching = store.found.value.functions;
  const rows = Array.from(top.function.keys()).filter((row) => matching === null || matching[top.function[row]] === 1);
  const values = sort === "before" ? top.selfBefore : sort === "after" ? top.selfAfter : top.selfDelta.map(Math.abs);
  return rows.sort((a, b) => (ascending ? 1 : -1) * (values[a] - values[b]));
}
