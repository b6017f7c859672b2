// ChartStage: a ChartLayout on a Surface, and what mouse, fingers and keys do to it. It changes nothing itself: it tells
// its owner.

import { boxAt } from "../model/chart";
import { axisHeight, callHeight, callTop, placeAt, type ChartLayout, type ChartPlace } from "./chart_layout";
import { chartX, paintChart, type ChartBox, type ChartLooks, type ChartPort } from "./chart_painter";
import { font } from "./flame_painter";
import { LabelCutter } from "./label";
import { Surface } from "./surface";

export interface ChartModel extends Omit<ChartLooks, "cutter" | "focused"> {
  readonly layout: ChartLayout;
  readonly whole: readonly [number, number]; // all the time that there is
  readonly shown: readonly [number, number];
}

export interface ChartActions {
  select(box: ChartBox): void;
  show(range: readonly [number, number]): void;
  time(range: readonly [number, number] | null): void;
  hover(box: ChartBox | null, clientX: number, clientY: number): void;
  fold(thread: number): void; // or unfold
}

const clickSlop = 5;
const narrowest = 1000; // nanoseconds that fill the view at the least

export class ChartStage {
  readonly surface: Surface;
  private readonly cutter: LabelCutter;
  private readonly stop = new AbortController();
  private readonly pointers = new Map<number, PointerEvent>();
  private drag: { from: number; to: number } | null = null; // times, of a mouse that selects
  private dragged = false;
  private focused = false;

  constructor(
    scroller: HTMLElement,
    canvas: HTMLCanvasElement,
    spacer: HTMLElement,
    private current: ChartModel,
    private readonly actions: ChartActions,
  ) {
    this.surface = new Surface(scroller, canvas, spacer, (context) => this.paint(context));
    this.cutter = new LabelCutter(this.surface.measure(font));
    this.show(current);
    const options = { signal: this.stop.signal };
    canvas.addEventListener("pointerdown", (event) => this.down(event), options);
    canvas.addEventListener("pointermove", (event) => this.move(event), options);
    canvas.addEventListener("pointerup", (event) => this.up(event), options);
    canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId), options);
    canvas.addEventListener("pointerleave", () => this.actions.hover(null, 0, 0), options);
    canvas.addEventListener("click", (event) => this.click(event), options);
    canvas.addEventListener("dblclick", (event) => this.zoomInto(this.boxAtPoint(event)), options);
    canvas.addEventListener("wheel", (event) => this.wheel(event), { ...options, passive: false });
    scroller.addEventListener("keydown", (event) => this.key(event), options);
    scroller.addEventListener("focus", () => this.focus(scroller.matches(":focus-visible")), options);
    scroller.addEventListener("blur", () => this.focus(false), options);
  }

  show(model: ChartModel): void {
    this.current = model;
    this.surface.setContentHeight(model.layout.height);
    this.surface.invalidate();
  }

  dispose(): void {
    this.stop.abort();
    this.surface.dispose();
  }

  private focus(focused: boolean): void {
    this.focused = focused;
    this.surface.invalidate();
  }

  private port(): ChartPort {
    const [from, to] = this.current.shown;
    return { width: this.surface.width, height: this.surface.height, scrollTop: this.surface.scrollTop, from, to };
  }

  private paint(context: CanvasRenderingContext2D): void {
    const drag = this.drag;
    const time = drag === null || !this.dragged ? this.current.time : ordered(drag.from, drag.to);
    paintChart(context, this.current.layout, this.port(), { ...this.current, time, cutter: this.cutter, focused: this.focused });
  }

  private timeAt(clientX: number): number {
    const { left } = this.surface.canvas.getBoundingClientRect();
    const [from, to] = this.current.shown;
    return from + ((clientX - left) / Math.max(1, this.surface.width)) * (to - from);
  }

  private placeAtPoint(event: MouseEvent): ChartPlace | null {
    const y = event.clientY - this.surface.canvas.getBoundingClientRect().top;
    return y < axisHeight ? null : placeAt(this.current.layout, y + this.surface.scrollTop);
  }

  private boxAtPoint(event: MouseEvent): ChartBox | null {
    const place = this.placeAtPoint(event);
    const row = place === null ? undefined : place.lane.calls?.rows[place.depth];
    if (place === null || row === undefined) return null;
    const box = boxAt(row, this.timeAt(event.clientX));
    return box < 0 ? null : { ...place, box };
  }

  private down(event: PointerEvent): void {
    this.pointers.set(event.pointerId, event);
    this.dragged = false;
    if (event.pointerType === "mouse" && event.button === 0) {
      const time = this.timeAt(event.clientX);
      this.drag = { from: time, to: time };
    }
  }

  private move(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) return this.actions.hover(this.boxAtPoint(event), event.clientX, event.clientY);
    if (!this.dragged && Math.abs(event.clientX - before.clientX) < clickSlop) return;
    if (!this.dragged) this.surface.canvas.setPointerCapture(event.pointerId);
    this.dragged = true;
    this.actions.hover(null, 0, 0);
    if (this.drag !== null) {
      this.drag.to = this.timeAt(event.clientX);
      return this.surface.invalidate();
    }
    const other = [...this.pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
    if (other === undefined) this.pan((before.clientX - event.clientX) / this.surface.width);
    else this.pinch(before, event, other);
    this.pointers.set(event.pointerId, event);
  }

  private pinch(before: PointerEvent, now: PointerEvent, other: PointerEvent): void {
    const wide = Math.max(10, Math.abs(now.clientX - other.clientX));
    this.scale(Math.max(10, Math.abs(before.clientX - other.clientX)) / wide, (now.clientX + other.clientX) / 2);
  }

  private up(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
    const drag = this.drag;
    this.drag = null;
    if (drag === null || !this.dragged) return;
    const [from, to] = ordered(drag.from, drag.to);
    const [first, last] = this.current.whole;
    if (to > first && from < last) this.actions.time([Math.round(Math.max(first, from)), Math.round(Math.min(last, to))]);
  }

  private click(event: MouseEvent): void {
    if (this.dragged) return;
    const place = this.placeAtPoint(event);
    const box = this.boxAtPoint(event);
    if (place?.depth === -2) this.actions.fold(place.lane.thread.thread);
    else if (box !== null) this.actions.select(box);
  }

  private wheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.scale(Math.exp(event.deltaY * 0.004), event.clientX);
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.pan((event.deltaX || event.deltaY) / Math.max(1, this.surface.width));
    }
  }

  private scale(factor: number, clientX: number): void {
    const centre = this.timeAt(clientX);
    const [from, to] = this.current.shown;
    this.showTime(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }

  private pan(share: number): void {
    const [from, to] = this.current.shown;
    const [first, last] = this.current.whole;
    const step = Math.max(first - from, Math.min(last - to, share * (to - from)));
    this.showTime(from + step, to + step);
  }

  private showTime(from: number, to: number): void {
    const [first, last] = this.current.whole;
    const low = Math.max(first, from);
    const high = Math.min(last, to);
    if (high - low < narrowest) return;
    const shown = [Math.round(low), Math.round(high)] as const;
    this.actions.show(shown);
    this.show({ ...this.current, shown });
  }

  private zoomInto(box: ChartBox | null): void {
    const row = box?.lane.calls?.rows[box.depth];
    if (box === null || row === undefined) return;
    const margin = (row.end[box.box] - row.start[box.box]) * 0.02;
    this.showTime(row.start[box.box] - margin, row.end[box.box] + margin);
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const centre = this.surface.canvas.getBoundingClientRect().left + this.surface.width / 2;
    const handlers: Readonly<Record<string, () => void>> = {
      "+": () => this.scale(0.6, centre),
      "=": () => this.scale(0.6, centre),
      "-": () => this.scale(1 / 0.6, centre),
      a: () => this.pan(-0.2),
      d: () => this.pan(0.2),
      r: () => this.actions.time(this.current.shown),
      x: () => this.current.selected && this.actions.fold(this.current.selected.lane.thread.thread),
      Enter: () => this.zoomInto(this.current.selected),
      ArrowLeft: () => this.step(0, -1),
      ArrowRight: () => this.step(0, 1),
      ArrowUp: () => this.step(-1, 0),
      ArrowDown: () => this.step(1, 0),
    };
    const handler = handlers[event.key];
    if (handler === undefined) return;
    event.preventDefault();
    handler();
  }

  /** To the caller or callee at the middle of the selected call, or to its neighbour; from the last call on to the next thread. */
  private step(deeper: number, later: number): void {
    const { selected, layout } = this.current;
    const next = selected === null ? firstBox(layout, 0, 1) : stepFrom(layout, selected, deeper, later);
    if (next === null) return;
    if (next.depth >= next.lane.rows) this.actions.fold(next.lane.thread.thread);
    this.actions.select(next);
    // The owner shows it, too, but only at its next rendering: a key that is held down is faster than that.
    this.show({ ...this.current, selected: next });
    this.reveal(next);
  }

  private reveal({ lane, depth, box }: ChartBox): void {
    const row = lane.calls!.rows[depth];
    const top = callTop(lane, depth);
    if (top - axisHeight < this.surface.scrollTop) this.surface.scrollTo(top - axisHeight - 30);
    else if (top + callHeight > this.surface.scrollTop + this.surface.height) this.surface.scrollTo(top + 2 * callHeight - this.surface.height);
    const port = this.port();
    if (chartX(port, row.end[box]) < 0 || chartX(port, row.start[box]) > port.width) {
      const half = (port.to - port.from) / 2;
      const [first, last] = this.current.whole;
      const centre = Math.max(first + half, Math.min(last - half, (row.start[box] + row.end[box]) / 2));
      this.showTime(centre - half, centre + half);
    }
  }
}

function stepFrom(layout: ChartLayout, from: ChartBox, deeper: number, later: number): ChartBox | null {
  const rows = from.lane.calls?.rows ?? [];
  const row = rows[from.depth];
  if (row === undefined || from.box >= row.count) return firstBox(layout, 0, 1);
  if (later !== 0) {
    const box = from.box + later;
    return box >= 0 && box < row.count ? { ...from, box } : null;
  }
  const depth = from.depth + deeper;
  const lane = layout.lanes.indexOf(from.lane);
  if (depth < 0) return firstBox(layout, lane - 1, -1);
  const middle = (row.start[from.box] + row.end[from.box]) / 2;
  const box = depth < rows.length ? nearestBox(rows[depth], row.start[from.box], middle, row.end[from.box]) : -1;
  return box >= 0 ? { lane: from.lane, depth, box } : firstBox(layout, lane + 1, 1);
}

function nearestBox(row: Parameters<typeof boxAt>[0], start: number, middle: number, end: number): number {
  for (const time of [middle, start]) {
    const box = boxAt(row, time);
    if (box >= 0) return box;
  }
  for (let box = 0; box < row.count && row.start[box] < end; box++) if (row.start[box] >= start) return box;
  return -1;
}

function firstBox(layout: ChartLayout, lane: number, step: number): ChartBox | null {
  for (let at = lane; at >= 0 && at < layout.lanes.length; at += step) {
    if ((layout.lanes[at].calls?.rows[0]?.count ?? 0) > 0) return { lane: layout.lanes[at], depth: 0, box: 0 };
  }
  return null;
}

const ordered = (one: number, other: number): [number, number] => (one < other ? [one, other] : [other, one]);
