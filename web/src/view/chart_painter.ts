// Paints a ChartLayout: the part of time and of the threads that can be seen.

import { Band, visitRow, type BandNumber } from "../model/chart";
import { duration } from "../model/format";
import { axisHeight, axisTicks, bandHeight, callHeight, callTop, nameHeight, type ChartLayout, type Lane } from "./chart_layout";
import { font } from "./flame_painter";
import type { LabelCutter } from "./label";
import type { Band as BandName, Theme } from "./palette";

export interface ChartPort {
  readonly width: number;
  readonly height: number;
  readonly scrollTop: number;
  readonly from: number;
  readonly to: number;
}

export interface ChartBox {
  readonly lane: Lane;
  readonly depth: number;
  readonly box: number;
}

export interface ChartLooks {
  readonly theme: Theme;
  readonly fillOf: (functionNumber: number) => number;
  readonly nameOf: (functionNumber: number) => string;
  readonly threadName: (thread: number) => string;
  readonly matches: ((functionNumber: number) => boolean) | null;
  readonly selected: ChartBox | null;
  readonly focused: boolean;
  readonly time: readonly [number, number] | null;
  readonly cutter: LabelCutter;
}

const bandOf: Readonly<Record<BandNumber, BandName | null>> = {
  [Band.idle]: "idle",
  [Band.onCpu]: "onCpu",
  [Band.ready]: "ready",
  [Band.onCpuWithGil]: "holdsGil",
  [Band.waitsForGil]: "waitsForGil",
  [Band.collects]: "inGc",
  [Band.unknown]: null,
};

export const chartX = (port: ChartPort, time: number) => ((time - port.from) / (port.to - port.from)) * port.width;

export function paintChart(context: CanvasRenderingContext2D, layout: ChartLayout, port: ChartPort, looks: ChartLooks): void {
  context.fillStyle = looks.theme.background;
  context.fillRect(0, 0, port.width, port.height);
  context.font = font;
  context.textBaseline = "middle";
  const ticks = axisTicks(port.from, port.to, port.width);
  context.fillStyle = looks.theme.grid;
  for (const tick of ticks) context.fillRect(Math.round(chartX(port, tick)), axisHeight, 1, port.height);
  for (const lane of layout.lanes) {
    const top = lane.top - port.scrollTop;
    if (top + lane.height < axisHeight || top > port.height) continue;
    paintBand(context, lane, port, looks.theme);
    paintCalls(context, lane, port, looks);
    context.fillStyle = looks.theme.text;
    context.fillText(looks.cutter.cut(nameOfLane(lane, looks), port.width - 12), 6, top + nameHeight / 2 + 1);
  }
  paintSelected(context, port, looks);
  paintTime(context, port, looks);
  paintAxis(context, ticks, port, looks.theme);
}

function nameOfLane(lane: Lane, looks: ChartLooks): string {
  const name = looks.threadName(lane.thread.thread);
  return lane.folded > 0 ? `▸ ${name}   + ${lane.folded} deeper rows` : name;
}

// Neighbours of less than a pixel are painted as one, in the colour of the first: the eye could not tell them apart.
const pixelOf = (port: ChartPort) => (port.to - port.from) / Math.max(1, port.width);

function paintBand(context: CanvasRenderingContext2D, lane: Lane, port: ChartPort, theme: Theme): void {
  const top = lane.top + nameHeight - port.scrollTop;
  visitRow(lane.thread.band, port.from, port.to, pixelOf(port), (start, end, what) => {
    const band = bandOf[what as BandNumber];
    if (band === null || band === undefined) return;
    const x = chartX(port, start);
    context.fillStyle = theme.bands[band];
    // Idle is thin: what happens stands out by its height as well.
    const height = band === "idle" ? 2 : bandHeight - 1;
    context.fillRect(x, top + bandHeight - 1 - height, Math.max(1, chartX(port, end) - x), height);
  });
}

function paintCalls(context: CanvasRenderingContext2D, lane: Lane, port: ChartPort, looks: ChartLooks): void {
  const { theme } = looks;
  lane.calls?.rows.slice(0, lane.rows).forEach((row, depth) => {
    const top = callTop(lane, depth) - port.scrollTop;
    if (top + callHeight < axisHeight || top > port.height) return;
    visitRow(row, port.from, port.to, pixelOf(port), (start, end, what, boxes) => {
      const x = Math.max(-1, chartX(port, start));
      const width = Math.min(port.width + 1, chartX(port, end)) - x;
      const faded = looks.matches !== null && !looks.matches(what);
      context.fillStyle = faded ? theme.faded : theme.fills[looks.fillOf(what)];
      context.fillRect(x, top, width > 3 ? width - 1 : Math.max(1, width), callHeight - 1);
      if (boxes > 1 || width < 22) return;
      const text = looks.cutter.cut(looks.nameOf(what), width - 7);
      context.fillStyle = faded ? theme.fadedInk : theme.ink;
      if (text !== "") context.fillText(text, x + 3, top + callHeight / 2);
    });
  });
}

function paintSelected(context: CanvasRenderingContext2D, port: ChartPort, looks: ChartLooks): void {
  const { selected, theme } = looks;
  const row = selected?.lane.calls?.rows[selected.depth];
  if (!selected || row === undefined || selected.box >= row.count || selected.depth >= selected.lane.rows) return;
  const x = Math.max(-4, chartX(port, row.start[selected.box]));
  const width = Math.min(port.width + 4, chartX(port, row.end[selected.box])) - x;
  context.lineWidth = looks.focused ? 3 : 2;
  context.strokeStyle = theme.outline;
  context.strokeRect(x + 1, callTop(selected.lane, selected.depth) - port.scrollTop + 1, Math.max(1, width - 3), callHeight - 3);
}

function paintTime(context: CanvasRenderingContext2D, port: ChartPort, looks: ChartLooks): void {
  if (looks.time === null) return;
  const left = chartX(port, looks.time[0]);
  const right = chartX(port, looks.time[1]);
  context.fillStyle = looks.theme.range;
  context.fillRect(0, 0, Math.max(0, left), port.height);
  context.fillRect(right, 0, Math.max(0, port.width - right), port.height);
  context.fillStyle = looks.theme.outline;
  context.fillRect(left, 0, 1, port.height);
  context.fillRect(right, 0, 1, port.height);
}

function paintAxis(context: CanvasRenderingContext2D, ticks: readonly number[], port: ChartPort, theme: Theme): void {
  context.fillStyle = theme.background;
  context.fillRect(0, 0, port.width, axisHeight - 2);
  context.fillStyle = theme.grid;
  context.fillRect(0, axisHeight - 2, port.width, 1);
  context.fillStyle = theme.quiet;
  for (const tick of ticks) context.fillText(tick === 0 ? "0" : duration(tick), Math.round(chartX(port, tick)) + 4, axisHeight / 2 - 1);
}
