// Paints the part of a CallTree that a Viewport shows. Boxes are collected and then painted colour by colour: changing the
// colour is what costs most on a canvas.

import type { CallTree } from "../model/call_tree";
import { rowTop, visitBoxes, xOf, type Viewport } from "./flame_geometry";
import type { LabelCutter } from "./label";
import type { Theme } from "./palette";
import { Runs } from "./runs";

export const font = "12px system-ui, sans-serif";

export interface Looks {
  readonly theme: Theme;
  readonly fills: readonly string[];
  fillOf(node: number): number; // which of `fills`
  nameOf(node: number): string;
  matches: ((node: number) => boolean) | null; // null: nothing is searched for
  readonly selected: number; // -1: none
  readonly hovered: number;
  readonly focused: boolean; // the keyboard moves the selected box
  readonly cutter: LabelCutter;
}

interface Box {
  readonly node: number;
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

const labelRoom = 22; // pixels: narrower boxes have no label
const stripHeight = 3;

/** Returns how many nodes are narrower than a pixel. */
export function paintFlame(context: CanvasRenderingContext2D, tree: CallTree, port: Viewport, looks: Looks): number {
  const { theme } = looks;
  context.fillStyle = theme.background;
  context.fillRect(0, 0, port.width, port.height);
  const byFill = new Map<string, Box[]>();
  const labelled: Array<{ box: Box; faded: boolean }> = [];
  const slivers = new Runs();
  const narrow = visitBoxes(tree, port, {
    box: (node, left, wide) => {
      const x = Math.max(0, left);
      const width = Math.min(port.width, left + wide) - x;
      const box = { node, x, y: rowTop(port, tree.depth[node]), width };
      const faded = looks.matches !== null && !looks.matches(node);
      push(byFill, faded ? theme.faded : looks.fills[looks.fillOf(node)], box);
      if (width >= labelRoom) labelled.push({ box, faded });
    },
    sliver: (depth, column) => slivers.add(depth, column),
  });
  paintBoxes(context, byFill, port.rowHeight - 1);
  paintSlivers(context, slivers, port, theme);
  paintStrips(context, tree, byFill, port, theme);
  paintLabels(context, labelled, port, looks);
  paintMarks(context, tree, port, looks);
  return narrow;
}

function push(map: Map<string, Box[]>, key: string, box: Box): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [box]);
  else list.push(box);
}

// A gap of a pixel between neighbours, unless that would be all of the box.
const inner = (width: number) => (width > 3 ? width - 1 : Math.max(width, 1));

function paintBoxes(context: CanvasRenderingContext2D, byFill: ReadonlyMap<string, Box[]>, height: number): void {
  for (const [fill, boxes] of byFill) {
    context.fillStyle = fill;
    for (const box of boxes) context.fillRect(box.x, box.y, inner(box.width), height);
  }
}

// Hatched, so that nobody takes many of them for a box.
function paintSlivers(context: CanvasRenderingContext2D, slivers: Runs, port: Viewport, theme: Theme): void {
  context.fillStyle = hatching(context, theme.quiet);
  for (const [depth, from, to] of slivers.all()) context.fillRect(from, rowTop(port, depth), to - from, port.rowHeight - 2);
}

const hatchings = new Map<string, CanvasPattern>(); // few: one for each theme

function hatching(context: CanvasRenderingContext2D, colour: string): CanvasPattern | string {
  const known = hatchings.get(colour);
  if (known !== undefined) return known;
  const tile = document.createElement("canvas");
  tile.width = 2;
  tile.height = 4;
  const brush = tile.getContext("2d")!;
  brush.fillStyle = colour;
  brush.fillRect(0, 0, 1, 2);
  brush.fillRect(1, 2, 1, 2);
  const pattern = context.createPattern(tile, "repeat");
  if (pattern !== null) hatchings.set(colour, pattern);
  return pattern ?? colour;
}

// What part of a box's time was spent waiting for the GIL or collecting garbage: a strip at its foot.
function paintStrips(
  context: CanvasRenderingContext2D,
  tree: CallTree,
  byFill: ReadonlyMap<string, Box[]>,
  port: Viewport,
  theme: Theme,
): void {
  for (const boxes of byFill.values()) {
    for (const { node, x, y, width } of boxes) {
      const total = tree.total[node];
      const gil = tree.waitingForGil[node];
      const gc = tree.inGc[node];
      if (!(gil + gc > 0) || width < 2) continue;
      const top = y + port.rowHeight - 1 - stripHeight;
      const gilWidth = (inner(width) * gil) / total;
      context.fillStyle = theme.gil;
      context.fillRect(x, top, gilWidth, stripHeight);
      context.fillStyle = theme.gc;
      context.fillRect(x + gilWidth, top, (inner(width) * gc) / total, stripHeight);
    }
  }
}

function paintLabels(
  context: CanvasRenderingContext2D,
  labelled: ReadonlyArray<{ box: Box; faded: boolean }>,
  port: Viewport,
  looks: Looks,
): void {
  context.font = font;
  context.textBaseline = "middle";
  for (const faded of [false, true]) {
    context.fillStyle = faded ? looks.theme.fadedInk : looks.theme.ink;
    for (const { box, faded: isFaded } of labelled) {
      if (isFaded !== faded) continue;
      const text = looks.cutter.cut(looks.nameOf(box.node), box.width - 7);
      if (text !== "") context.fillText(text, box.x + 3, box.y + port.rowHeight / 2);
    }
  }
}

function paintMarks(context: CanvasRenderingContext2D, tree: CallTree, port: Viewport, looks: Looks): void {
  if (looks.hovered >= 0) {
    const [x, y, width] = placeOf(tree, port, looks.hovered);
    context.fillStyle = looks.theme.hover;
    context.fillRect(x, y, Math.max(1, width), port.rowHeight - 1);
  }
  if (looks.selected < 0) return;
  const [x, y, width] = placeOf(tree, port, looks.selected);
  context.lineWidth = looks.focused ? 3 : 2;
  context.strokeStyle = looks.theme.outline;
  context.strokeRect(x + 1, y + 1, Math.max(1, width - 3), port.rowHeight - 3);
}

function placeOf(tree: CallTree, port: Viewport, node: number): [x: number, y: number, width: number] {
  const y = rowTop(port, tree.depth[node]);
  if (tree.depth[node] < tree.depth[port.root]) return [0, y, port.width];
  const left = Math.max(-4, xOf(port, tree.start[node]));
  const right = Math.min(port.width + 4, xOf(port, tree.start[node] + tree.total[node]));
  return [left, y, Math.max(0, right - left)];
}
