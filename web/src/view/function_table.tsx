// Functions with what they took, sorted by any column. Follows the search and the selection.

import { useComputed } from "@preact/signals";
import { share, value } from "../model/format";
import { frameText } from "../model/stack_text";
import { sortTop, topOf, type TopColumn } from "../model/top";
import type { ProfileStore } from "../state/profile_store";
import type { SortColumn } from "../state/view_state";
import { ColumnHead, VirtualGrid } from "./virtual_grid";

export interface FunctionTableProps {
  readonly store: ProfileStore;
  readonly label: string;
  readonly active: number | null; // a function
  readonly narrow: boolean; // only what it took itself, and its name
  readonly onActive: (functionNumber: number) => void;
  readonly onOpen: (functionNumber: number) => void;
}

const columnOf: Readonly<Partial<Record<SortColumn, TopColumn>>> = {
  self: "self",
  total: "total",
  gc: "inGc",
  gil: "waitingForGil",
  name: "name",
};

export function FunctionTable({ store, label, active, narrow, onActive, onOpen }: FunctionTableProps) {
  const top = useComputed(() => topOf(store.tree.value, store.recording.value));
  const rows = useComputed(() => {
    const { sort, ascending } = store.state.value;
    const matching = store.found.value.functions;
    return sortTop(top.value, store.recording.value, { column: columnOf[sort] ?? "self", ascending, matching });
  });
  const { whole, unit, self, total, inGc, waitingForGil } = top.value;
  const states = !narrow && inGc.some((one) => one > 0) ? (["gc"] as const) : ([] as const);
  const waits = !narrow && waitingForGil.some((one) => one > 0);
  const numberOf = (index: number) => top.value.function[rows.value[index]];
  const recording = store.recording.value;
  const cell = (amount: number) => (
    <>
      <div role="gridcell" class="cell-number">{value(amount, unit)}</div>
      <div role="gridcell" class="cell-share" style={{ background: heat(amount, whole) }}>{share(amount, whole)}</div>
    </>
  );
  return (
    <VirtualGrid
      role="grid"
      label={label}
      className={narrow ? "function-grid narrow" : "function-grid"}
      count={rows.value.length}
      active={active === null ? -1 : rows.value.findIndex((row) => top.value.function[row] === active)}
      head={
        <>
          <SortHead store={store} column="self" name="Self" className="cell-number" />
          <ColumnHead name="of all" className="cell-share" />
          <SortHead store={store} column="total" name="Total" className="cell-number" />
          <ColumnHead name="of all" className="cell-share" />
          {states.length > 0 && <SortHead store={store} column="gc" name="In gc" className="cell-number" />}
          {waits && <SortHead store={store} column="gil" name="GIL wait" className="cell-number" />}
          <SortHead store={store} column="name" name="Function" className="cell-name" />
          {!narrow && <ColumnHead name="File" className="cell-file" />}
        </>
      }
      row={(index) => {
        const row = rows.value[index];
        const number = top.value.function[row];
        return (
          <>
            {cell(self[row])}
            {cell(total[row])}
            {states.length > 0 && <div role="gridcell" class="cell-number">{value(inGc[row], unit)}</div>}
            {waits && <div role="gridcell" class="cell-number">{value(waitingForGil[row], unit)}</div>}
            <div role="gridcell" class="cell-name" title={frameText(recording, number, recording.functions.firstLine[number])}>
              {store.nameOfFunction(number)}
            </div>
            {!narrow && <div role="gridcell" class="cell-file">{fileOf(store, number)}</div>}
          </>
        );
      }}
      onActive={(index) => onActive(numberOf(index))}
      onOpen={(index) => onOpen(numberOf(index))}
    />
  );
}

interface SortHeadProps {
  readonly store: ProfileStore;
  readonly column: SortColumn;
  readonly name: string;
  readonly className: string;
}

/** The first click sorts the largest first (of names: the first), the next one the other way round. */
export function SortHead({ store, column, name, className }: SortHeadProps) {
  const { sort, ascending } = store.state.value;
  const isSorted = sort === column;
  return (
    <ColumnHead
      name={name}
      className={className}
      sorted={isSorted ? (ascending ? "ascending" : "descending") : "none"}
      onSort={() => store.change({ sort: column, ascending: isSorted ? !ascending : column === "name" })}
    />
  );
}

/** A tint that grows with the share; transparent enough for the text on it. */
export function heat(part: number, whole: number): string | undefined {
  if (!(part > 0) || !(whole > 0)) return undefined;
  return `rgba(var(--heat), ${(0.04 + 0.3 * Math.sqrt(Math.min(1, part / whole))).toFixed(3)})`;
}

function fileOf(store: ProfileStore, number: number): string {
  const { functions, strings } = store.recording.value;
  const file = strings[functions.file[number]];
  const line = functions.firstLine[number];
  if (file !== "") return line > 0 ? `${file}:${line}` : file;
  return strings[functions.module[number]] ?? "";
}
