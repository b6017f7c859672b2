// FlameInput: what mouse, fingers and keys do to a FlameStage. It changes nothing itself: it tells its owner.

import { valueAt } from "./flame_geometry";
import { moved, type Move } from "./flame_moves";
import type { FlameModel, FlameStage } from "./flame_stage";

export interface FlameActions {
  select(node: number): void;
  zoom(node: number): void;
  range(range: readonly [number, number] | null): void;
  hover(node: number, clientX: number, clientY: number): void; // -1: none
}

const clickSlop = 5; // pixels that a hand trembles
const narrowestRange = 1e-6; // of the zoomed node

export class FlameInput {
  private readonly pointers = new Map<number, PointerEvent>();
  private dragged = false;
  private readonly stop = new AbortController();

  constructor(
    private readonly stage: FlameStage,
    private readonly actions: FlameActions,
  ) {
    const { scroller, canvas } = stage.surface;
    const options = { signal: this.stop.signal };
    canvas.addEventListener("pointerdown", (event) => this.down(event), options);
    canvas.addEventListener("pointermove", (event) => this.move(event), options);
    canvas.addEventListener("pointerup", (event) => this.up(event), options);
    canvas.addEventListener("pointercancel", (event) => this.pointers.delete(event.pointerId), options);
    canvas.addEventListener("pointerleave", () => this.leave(), options);
    canvas.addEventListener("click", (event) => this.click(event), options);
    canvas.addEventListener("dblclick", (event) => this.doubleClick(event), options);
    canvas.addEventListener("wheel", (event) => this.wheel(event), { ...options, passive: false });
    scroller.addEventListener("keydown", (event) => this.key(event), options);
    scroller.addEventListener("focus", () => stage.focus(scroller.matches(":focus-visible")), options);
    scroller.addEventListener("blur", () => stage.focus(false), options);
  }

  dispose(): void {
    this.stop.abort();
  }

  private down(event: PointerEvent): void {
    this.pointers.set(event.pointerId, event);
    this.dragged = false;
  }

  private move(event: PointerEvent): void {
    const before = this.pointers.get(event.pointerId);
    if (before === undefined) {
      const node = this.stage.nodeAt(event.clientX, event.clientY);
      this.stage.hover(node);
      this.actions.hover(node, event.clientX, event.clientY);
      return;
    }
    if (!this.dragged && Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY) < clickSlop) return;
    if (!this.dragged) this.stage.surface.canvas.setPointerCapture(event.pointerId);
    this.dragged = true;
    this.leave();
    if (this.pointers.size === 2) this.pinch(event);
    else this.pan(event.clientX - before.clientX, event.pointerType === "mouse" ? event.clientY - before.clientY : 0);
    this.pointers.set(event.pointerId, event);
  }

  private up(event: PointerEvent): void {
    this.pointers.delete(event.pointerId);
  }

  private leave(): void {
    this.stage.hover(-1);
    this.actions.hover(-1, 0, 0);
  }

  private click(event: MouseEvent): void {
    if (this.dragged) return;
    const node = this.stage.nodeAt(event.clientX, event.clientY);
    if (node >= 0) this.actions.select(node);
  }

  private doubleClick(event: MouseEvent): void {
    const node = this.stage.nodeAt(event.clientX, event.clientY);
    this.leave();
    if (node >= 0) this.actions.zoom(node);
  }

  private wheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      this.scale(Math.exp(event.deltaY * 0.004), event.clientX);
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      this.pan(-(event.deltaX || event.deltaY), 0);
    }
  }

  private pinch(event: PointerEvent): void {
    const other = [...this.pointers.values()].find((pointer) => pointer.pointerId !== event.pointerId);
    const before = this.pointers.get(event.pointerId);
    if (other === undefined || before === undefined) return;
    const wide = Math.max(10, Math.abs(event.clientX - other.clientX));
    const wideBefore = Math.max(10, Math.abs(before.clientX - other.clientX));
    this.scale(wideBefore / wide, (event.clientX + other.clientX) / 2);
  }

  /** Zooms freely about a point of the screen: more than 1 shows more. */
  private scale(factor: number, clientX: number): void {
    const { left } = this.stage.surface.canvas.getBoundingClientRect();
    const port = this.stage.port();
    const centre = this.shareOf(valueAt(port, clientX - left));
    const [from, to] = this.stage.model.range ?? [0, 1];
    this.setRange(centre - (centre - from) * factor, centre + (to - centre) * factor);
  }

  private pan(dx: number, dy: number): void {
    if (dy !== 0) this.stage.surface.scrollTo(this.stage.surface.scrollTop - dy);
    const range = this.stage.model.range;
    if (range === null) return;
    const step = (-dx / Math.max(1, this.stage.surface.width)) * (range[1] - range[0]);
    const bounded = Math.max(-range[0], Math.min(1 - range[1], step));
    this.setRange(range[0] + bounded, range[1] + bounded);
  }

  private setRange(from: number, to: number): void {
    const low = Math.max(0, from);
    const high = Math.min(1, to);
    if (high - low < narrowestRange) return;
    const range = low <= 0 && high >= 1 ? null : ([low, high] as const);
    this.actions.range(range);
    this.showAtOnce({ range });
  }

  private shareOf(value: number): number {
    const { tree, zoomed } = this.stage.model;
    return tree.total[zoomed] > 0 ? (value - tree.start[zoomed]) / tree.total[zoomed] : 0;
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const move = this.moveOf(event.key);
    this.leave();
    const { tree, zoomed, selected, upward } = this.stage.model;
    if (move !== null) this.goTo(moved(tree, zoomed, selected, move));
    else if (event.key === "Enter") this.actions.zoom(selected < 0 ? zoomed : selected);
    else if (event.key === "+" || event.key === "=") this.scale(0.6, this.centreX());
    else if (event.key === "-") this.scale(1 / 0.6, this.centreX());
    else return;
    event.preventDefault();
    if (move === "root") this.stage.surface.scrollTo(upward ? this.stage.surface.scroller.scrollHeight : 0);
  }

  private moveOf(key: string): Move | null {
    const { upward } = this.stage.model;
    const moves: Readonly<Record<string, Move>> = {
      ArrowUp: upward ? "child" : "parent",
      ArrowDown: upward ? "parent" : "child",
      ArrowLeft: "previous",
      ArrowRight: "next",
      Home: "root",
    };
    return moves[key] ?? null;
  }

  // The owner shows it, too, but only at its next rendering: a key that is held down is faster than that.
  private showAtOnce(part: Partial<Pick<FlameModel, "range" | "selected">>): void {
    this.stage.show({ ...this.stage.model, ...part });
  }

  private goTo(node: number): void {
    this.actions.select(node);
    this.showAtOnce({ selected: node });
    this.stage.scrollToNode(node);
    this.stage.focus(true);
    this.showSideways(node);
  }

  private showSideways(node: number): void {
    const { tree, range, zoomed } = this.stage.model;
    if (range === null || tree.depth[node] <= tree.depth[zoomed]) return;
    const middle = this.shareOf(tree.start[node] + tree.total[node] / 2);
    if (middle >= range[0] && middle <= range[1]) return;
    const half = (range[1] - range[0]) / 2;
    const centre = Math.max(half, Math.min(1 - half, middle));
    this.setRange(centre - half, centre + half);
  }

  private centreX(): number {
    const box = this.stage.surface.canvas.getBoundingClientRect();
    const { selected, tree, zoomed } = this.stage.model;
    if (selected < 0 || tree.depth[selected] <= tree.depth[zoomed]) return box.left + box.width / 2;
    const port = this.stage.port();
    const middle = tree.start[selected] + tree.total[selected] / 2;
    const x = ((middle - port.from) / (port.to - port.from)) * box.width;
    return box.left + Math.max(0, Math.min(box.width, x));
  }
}
