// FlameStage: a CallTree on a Surface. It knows what is shown and where; what a person does to it is FlameInput's part.

import type { CallTree } from "../model/call_tree";
import { nodeAtPoint, rowTop, rowsBelow, type Viewport } from "./flame_geometry";
import { font, paintFlame } from "./flame_painter";
import { LabelCutter } from "./label";
import { Transition, wantsMotion } from "./motion";
import type { Theme } from "./palette";
import { Surface } from "./surface";

export interface FlameModel {
  readonly tree: CallTree;
  readonly upward: boolean;
  readonly zoomed: number;
  readonly range: readonly [number, number] | null; // shares of the zoomed node
  readonly selected: number;
  readonly theme: Theme;
  readonly fills: readonly string[];
  readonly fillOf: (node: number) => number;
  readonly nameOf: (node: number) => string;
  readonly matches: ((node: number) => boolean) | null;
  readonly skip: number; // rows at the root that are not shown
}

export const rowHeight = 19;

export class FlameStage {
  readonly surface: Surface;
  private readonly cutter: LabelCutter;
  private readonly transition = new Transition([0, 1]);
  private rows = 1;
  private hoveredNode = -1;
  private focused = false;

  constructor(
    scroller: HTMLElement,
    canvas: HTMLCanvasElement,
    spacer: HTMLElement,
    private current: FlameModel,
    private readonly onNarrow: (count: number) => void,
  ) {
    this.surface = new Surface(scroller, canvas, spacer, (context) => this.paint(context));
    this.cutter = new LabelCutter(this.surface.measure(font));
    this.show(current, true);
  }

  get model(): FlameModel {
    return this.current;
  }

  show(model: FlameModel, first = false): void {
    const before = this.current;
    this.current = model;
    const otherShape = first || model.tree !== before.tree || model.zoomed !== before.zoomed || model.upward !== before.upward;
    if (otherShape) this.settleRows(first || model.upward !== before.upward);
    // A live recording grows under the view: that is no movement to follow with the eyes.
    const animated = !first && model.tree === before.tree && wantsMotion();
    this.transition.moveTo(this.target(), animated, performance.now());
    if (model.tree !== before.tree) this.hoveredNode = -1;
    this.surface.invalidate();
  }

  hover(node: number): void {
    if (node === this.hoveredNode) return;
    this.hoveredNode = node;
    this.surface.invalidate();
  }

  focus(focused: boolean): void {
    this.focused = focused;
    this.surface.invalidate();
  }

  port(): Viewport {
    const [from, to] = this.transition.at(performance.now());
    return {
      width: this.surface.width,
      height: this.surface.height,
      rowHeight,
      scrollTop: this.surface.scrollTop,
      from,
      to,
      root: this.current.zoomed,
      rows: this.rows,
      upward: this.current.upward,
      skip: this.current.skip,
    };
  }

  nodeAt(clientX: number, clientY: number): number {
    const box = this.surface.canvas.getBoundingClientRect();
    return nodeAtPoint(this.current.tree, this.port(), clientX - box.left, clientY - box.top);
  }

  /** The place of a node on the screen, for what is shown beside it. */
  topOf(node: number): number {
    return this.surface.canvas.getBoundingClientRect().top + rowTop(this.port(), this.current.tree.depth[node]);
  }

  scrollToNode(node: number): void {
    const top = rowTop({ ...this.port(), scrollTop: 0 }, this.current.tree.depth[node]);
    const { scrollTop, height } = this.surface;
    if (top < scrollTop) this.surface.scrollTo(top - rowHeight);
    else if (top + rowHeight > scrollTop + height) this.surface.scrollTo(top + 2 * rowHeight - height);
  }

  dispose(): void {
    this.surface.dispose();
  }

  private target(): readonly [number, number] {
    const { tree, zoomed, range } = this.current;
    const start = tree.start[zoomed];
    const total = tree.total[zoomed];
    return range === null ? [start, start + total] : [start + range[0] * total, start + range[1] * total];
  }

  private settleRows(toRoot: boolean): void {
    const { tree, zoomed, upward } = this.current;
    this.surface.fromBottom = upward;
    const distance = this.surface.scroller.scrollHeight - this.surface.scrollTop;
    this.rows = rowsBelow(tree, zoomed);
    this.surface.setContentHeight((this.rows - this.current.skip) * rowHeight + 1);
    if (upward) this.surface.scrollTo(toRoot ? this.rows * rowHeight : this.surface.scroller.scrollHeight - distance);
    else if (toRoot) this.surface.scrollTo(0);
  }

  private paint(context: CanvasRenderingContext2D): void {
    const { current } = this;
    const narrow = paintFlame(context, current.tree, this.port(), {
      theme: current.theme,
      fills: current.fills,
      fillOf: current.fillOf,
      nameOf: current.nameOf,
      matches: current.matches,
      selected: current.selected,
      hovered: this.hoveredNode,
      focused: this.focused,
      cutter: this.cutter,
    });
    this.onNarrow(narrow);
    if (this.transition.isMoving(performance.now())) this.surface.invalidate();
  }
}
