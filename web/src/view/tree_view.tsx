// The calls as a table that unfolds: for screen readers, and for all who would rather read than look. Rows are made when
// their caller is unfolded.

import { useComputed, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { noFunction, type CallTree } from "../model/call_tree";
import { share, value } from "../model/format";
import { nodeName, nodeText } from "../model/stack_text";
import { childrenOf, nodeAt, pathOf } from "../state/node_path";
import type { ProfileStore } from "../state/profile_store";
import { NothingSelected } from "./flame_view";
import { ColumnHead, VirtualGrid } from "./virtual_grid";

interface TreeRow {
  readonly node: number;
  readonly level: number;
  readonly position: number; // among the calls of its caller, from 1 on
  readonly siblings: number;
}

export function TreeView({ store }: { store: ProfileStore }) {
  const open = useSignal<ReadonlySet<number>>(new Set());
  const treeBefore = useRef<CallTree | null>(null);
  useEffect(() => {
    const now = store.tree.value;
    const ways = waysTo(now, [store.zoomed.value, store.selected.value]);
    open.value = treeBefore.current === null ? ways : new Set([...ways, ...carriedOver(treeBefore.current, now, open.value)]);
    treeBefore.current = now;
  }, [store.tree.value]);
  const rows = useComputed(() => unfolded(store.tree.value, open.value));
  const tree = store.tree.value;
  if (tree.total[0] <= 0) return <NothingSelected store={store} />;
  const setOpen = (node: number, isOpen: boolean) => {
    const next = new Set(open.value);
    if (isOpen) for (const one of singleCalls(tree, node)) next.add(one);
    else next.delete(node);
    open.value = next;
  };
  const onKey = (event: KeyboardEvent, index: number): boolean => {
    const { node } = rows.value[index];
    const isOpen = open.value.has(node);
    if (event.key === "ArrowRight" && hasCalls(tree, node)) {
      if (isOpen) store.selectNode(rows.value[index + 1].node);
      else setOpen(node, true);
    } else if (event.key === "ArrowLeft") {
      if (isOpen) setOpen(node, false);
      else if (tree.parent[node] >= 0) store.selectNode(tree.parent[node]);
    } else if (event.key === "Enter") setOpen(node, !isOpen);
    else return false;
    return true;
  };
  return (
    <VirtualGrid
      role="treegrid"
      label="Calls"
      className="tree-grid"
      count={rows.value.length}
      active={rows.value.findIndex((row) => row.node === store.selected.value)}
      head={
        <>
          <ColumnHead name="Function" className="cell-name" />
          <ColumnHead name="Total" className="cell-number" />
          <ColumnHead name="of all" className="cell-share" />
          <ColumnHead name="Self" className="cell-number" />
          <ColumnHead name="of all" className="cell-share" />
        </>
      }
      row={(index) => <TreeCells store={store} row={rows.value[index]} open={open.value} onToggle={setOpen} />}
      rowProps={(index) => {
        const { node, level, position, siblings } = rows.value[index];
        return {
          "aria-level": level,
          "aria-posinset": position,
          "aria-setsize": siblings,
          "aria-expanded": hasCalls(tree, node) ? open.value.has(node) : undefined,
        };
      }}
      onActive={(index) => store.selectNode(rows.value[index].node)}
      onOpen={(index) => setOpen(rows.value[index].node, !open.value.has(rows.value[index].node))}
      onKey={onKey}
    />
  );
}

interface TreeCellsProps {
  readonly store: ProfileStore;
  readonly row: TreeRow;
  readonly open: ReadonlySet<number>;
  readonly onToggle: (node: number, open: boolean) => void;
}

const deepestIndent = 30; // levels: deeper ones stand below each other

function TreeCells({ store, row, open, onToggle }: TreeCellsProps) {
  const tree = store.tree.value;
  const recording = store.recording.value;
  const { node } = row;
  const matching = store.found.value.functions;
  const matches = matching !== null && tree.function[node] !== noFunction && matching[tree.function[node]] === 1;
  return (
    <>
      <div role="gridcell" class="cell-name" title={nodeText(tree, recording, node)} style={{ paddingLeft: `${Math.min(deepestIndent, row.level - 1) * 14 + 4}px` }}>
        <span
          class="twisty"
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            onToggle(node, !open.has(node));
          }}
        >
          {hasCalls(tree, node) ? (open.has(node) ? "▾" : "▸") : ""}
        </span>
        <span class={matches ? "match" : undefined}>{nodeName(tree, recording, node)}</span>
        {tree.line[node] > 0 && <span class="quiet">:{tree.line[node]}</span>}
      </div>
      <div role="gridcell" class="cell-number">{value(tree.total[node], tree.unit)}</div>
      <div role="gridcell" class="cell-share">{share(tree.total[node], tree.total[0])}</div>
      <div role="gridcell" class="cell-number">{value(tree.self[node], tree.unit)}</div>
      <div role="gridcell" class="cell-share">{share(tree.self[node], tree.total[0])}</div>
    </>
  );
}

const hasCalls = (tree: CallTree, node: number) => tree.end[node] > node + 1;

/** The root, and all rows below those that are open; the heaviest first. Not by recursion: a stack may be very deep. */
export function unfolded(tree: CallTree, open: ReadonlySet<number>): TreeRow[] {
  const rows: TreeRow[] = [];
  const waiting: TreeRow[] = [{ node: 0, level: 1, position: 1, siblings: 1 }];
  for (let row = waiting.pop(); row !== undefined; row = waiting.pop()) {
    rows.push(row);
    if (!open.has(row.node)) continue;
    const calls = childrenOf(tree, row.node).sort((a, b) => tree.total[b] - tree.total[a]);
    for (let i = calls.length - 1; i >= 0; i--) {
      waiting.push({ node: calls[i], level: row.level + 1, position: i + 1, siblings: calls.length });
    }
  }
  return rows;
}

// A call that is the only one in its caller is unfolded with it: nobody wants to unfold main, run and start one by one.
function singleCalls(tree: CallTree, node: number): number[] {
  const opened = [node];
  let at = node;
  while (hasCalls(tree, at) && tree.end[at + 1] === tree.end[at]) opened.push((at = at + 1));
  return opened;
}

/** What was unfolded in a tree, in the one that took its place: a live recording makes one every second. */
export function carriedOver(before: CallTree, now: CallTree, open: ReadonlySet<number>): number[] {
  return [...open].map((node) => nodeAt(now, pathOf(before, node))).filter((node) => node >= 0);
}

function waysTo(tree: CallTree, nodes: readonly number[]): Set<number> {
  const open = new Set(singleCalls(tree, 0));
  for (const node of nodes) {
    for (let at = node < 0 ? -1 : tree.parent[node]; at >= 0; at = tree.parent[at]) open.add(at);
  }
  return open;
}
