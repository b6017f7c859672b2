// VirtualGrid: a table of any length of which only the rows that can be seen are made. The grid keeps the focus and says
// which row is the active one, as the rules for grids of screen readers allow.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";

export const gridRowHeight = 24;
const spare = 6; // rows made above and below

export interface VirtualGridProps {
  readonly role: "grid" | "treegrid";
  readonly label: string;
  readonly className: string;
  readonly count: number;
  readonly active: number; // -1: none
  readonly head: ComponentChildren; // the column headers
  readonly row: (index: number) => ComponentChildren; // its cells
  readonly rowProps?: (index: number) => JSX.HTMLAttributes<HTMLDivElement>;
  readonly onActive: (index: number) => void;
  readonly onKey?: (event: KeyboardEvent, index: number) => boolean; // true: it was handled
  readonly onOpen?: (index: number) => void; // double click, Enter
}

export function VirtualGrid(props: VirtualGridProps) {
  const grid = useRef<HTMLDivElement>(null);
  const id = useId();
  const [view, setView] = useState({ top: 0, height: 600 });
  const look = () => {
    const { scrollTop, clientHeight } = grid.current!;
    setView((before) => (before.top === scrollTop && before.height === clientHeight ? before : { top: scrollTop, height: clientHeight }));
  };
  useEffect(() => {
    const observer = new ResizeObserver(look);
    observer.observe(grid.current!);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (props.active >= 0) showRow(grid.current!, props.active);
  }, [props.active]);

  const first = Math.max(0, Math.floor(view.top / gridRowHeight) - spare);
  const last = Math.min(props.count, Math.ceil((view.top + view.height) / gridRowHeight) + spare);
  const activeIsMade = props.active >= first && props.active < last;
  const rows: JSX.Element[] = [];
  for (let i = first; i < last; i++) rows.push(<Row key={i} id={`${id}-${i}`} index={i} grid={props} />);
  return (
    <div
      ref={grid}
      class={`grid ${props.className}`}
      role={props.role}
      aria-label={props.label}
      aria-rowcount={props.count + 1}
      aria-activedescendant={activeIsMade ? `${id}-${props.active}` : undefined}
      tabIndex={0}
      onScroll={look}
      onKeyDown={(event) => onKeyDown(event, props, view.height)}
    >
      <div role="rowgroup" class="grid-head">
        <div role="row" aria-rowindex={1} class="grid-row">
          {props.head}
        </div>
      </div>
      <div role="rowgroup" class="grid-body" style={{ height: `${props.count * gridRowHeight}px` }}>
        {rows}
      </div>
    </div>
  );
}

function Row({ id, index, grid }: { id: string; index: number; grid: VirtualGridProps }) {
  return (
    <div
      {...grid.rowProps?.(index)}
      role="row"
      id={id}
      class="grid-row"
      aria-rowindex={index + 2}
      aria-selected={index === grid.active}
      style={{ transform: `translateY(${index * gridRowHeight}px)` }}
      onClick={() => grid.onActive(index)}
      onDblClick={() => grid.onOpen?.(index)}
    >
      {grid.row(index)}
    </div>
  );
}

// A step leads to the edge of the view; a jump puts the row into the middle, with what stands around it.
function showRow(grid: HTMLElement, index: number): void {
  const top = index * gridRowHeight;
  const room = grid.clientHeight - gridRowHeight; // below the column headers
  const above = grid.scrollTop - top;
  const below = top + gridRowHeight - grid.scrollTop - room;
  if (above <= 0 && below <= 0) return;
  if (Math.max(above, below) > 2 * gridRowHeight) grid.scrollTop = top - (room - gridRowHeight) / 2;
  else grid.scrollTop = above > 0 ? top : top + gridRowHeight - room;
}

function onKeyDown(event: KeyboardEvent, props: VirtualGridProps, height: number): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
  const page = Math.max(1, Math.floor(height / gridRowHeight) - 2);
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: props.active + 1,
    ArrowUp: Math.max(0, props.active - 1),
    PageDown: props.active + page,
    PageUp: props.active - page,
    Home: 0,
    End: props.count - 1,
  };
  const target = targets[event.key];
  if (target !== undefined && props.count > 0) props.onActive(Math.max(0, Math.min(props.count - 1, target)));
  else if (props.active >= 0 && props.onKey?.(event, props.active)) return event.preventDefault();
  else if (event.key === "Enter" && props.active >= 0 && props.onOpen !== undefined) props.onOpen(props.active);
  else return;
  event.preventDefault();
}

export interface ColumnHeadProps {
  readonly name: string;
  readonly className?: string;
  readonly sorted?: "ascending" | "descending" | "none";
  readonly onSort?: () => void;
  readonly title?: string;
}

export function ColumnHead({ name, className, sorted, onSort, title }: ColumnHeadProps) {
  const arrow = sorted === "ascending" ? " ▲" : sorted === "descending" ? " ▼" : "";
  return (
    <div role="columnheader" class={className} aria-sort={sorted === "none" ? undefined : sorted} title={title}>
      {onSort === undefined ? (
        name
      ) : (
        <button type="button" class="plain" onClick={onSort}>
          {name}
          <span aria-hidden="true">{arrow}</span>
        </button>
      )}
    </div>
  );
}
