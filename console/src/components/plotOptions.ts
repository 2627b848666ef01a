import uPlot from "uplot";
import type { Format } from "../i18n/format";
import type { Tokens } from "../theme/tokens";

/** What the reader points at: a time of the chart, and where it is, from 0 (left) to 1 (right). */
export interface Hovered {
  index: number;
  share: number;
}

const DAY = 86_400;

/** The steps between the labels of a chart of days. */
const DAY_STEPS = [1, 2, 3, 7, 14, 28, 61, 91, 182, 365].map((days) => days * DAY);

interface Wanted {
  width: number;
  height: number;
  /** Whether the times are days in UTC. */
  days: boolean;
  tokens: Tokens;
  format: Format;
  looks: ("line" | "area" | "bars" | "dashed" | "unfinished")[];
  colours: string[];
  axisValue: (value: number) => string;
  onHover: (hovered: Hovered | null) => void;
}

/** How a chart is drawn. */
export function plotOptions(wanted: Wanted): uPlot.Options {
  const { width, height, days, tokens, format, looks, colours, axisValue, onHover } = wanted;
  const axis = {
    stroke: tokens.muted,
    ticks: { show: false },
    font: "12px system-ui, sans-serif",
  };
  return {
    width,
    height,
    padding: [8, 22, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      drag: { x: false, y: false },
      points: { size: 8, width: 2, stroke: () => tokens.paper, fill: colour(colours) },
    },
    ...(days && { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC") }),
    scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 64,
        size: 30,
        ...(days && { incrs: DAY_STEPS }),
        values: (_, ticks, __, ___, step) =>
          ticks.map((seconds) => timeLabel(format, seconds, step, days)),
      },
      {
        ...axis,
        grid: { stroke: tokens.border, width: 1 },
        space: 40,
        size: (plot, labels) => widest(plot, labels),
        values: (_, ticks) => ticks.map(axisValue),
      },
    ],
    series: [{}, ...looks.map((look, index) => line(look, colours[index] ?? tokens.accent))],
    hooks: {
      setCursor: [
        ({ cursor: { left = -1, idx }, bbox, width: whole }) => {
          const isInside = left >= 0 && idx !== null && idx !== undefined;
          const start = bbox.left / devicePixelRatio;
          onHover(isInside ? { index: idx, share: (start + left) / whole } : null);
        },
      ],
    },
  };
}

function line(look: Wanted["looks"][number], colour: string): uPlot.Series {
  const isDashed = look === "dashed" || look === "unfinished";
  const isBars = look === "bars";
  const bars = uPlot.paths.bars?.({ size: [0.7, 40], radius: 0.15 });
  return {
    stroke: colour,
    width: look === "dashed" ? 1.5 : 2,
    // A value between two gaps would be a line of no length.
    points: { show: look === "line" || look === "area", filter: showAlone, size: 5, fill: colour },
    ...(isDashed && { dash: [4, 4] }),
    ...(look === "area" && { fill: `${colour}22` }),
    ...(isBars && { fill: colour, width: 0, ...(bars && { paths: bars }) }),
  };
}

/** The values that no line leads to. */
function showAlone(plot: uPlot, series: number): number[] {
  return alone(Array.from(plot.data[series] ?? []));
}

/** The indexes of the values without a neighbour. */
export function alone(values: (number | null | undefined)[]): number[] {
  const isGap = (index: number) => (values[index] ?? null) === null;
  return values.flatMap((_, index) =>
    !isGap(index) && isGap(index - 1) && isGap(index + 1) ? [index] : [],
  );
}

function colour(colours: string[]) {
  return (_: uPlot, series: number) => colours[series - 1] ?? "transparent";
}

/** The room that the labels of the vertical axis need. */
function widest(plot: uPlot, labels: string[] | null): number {
  plot.ctx.font = `${12 * devicePixelRatio}px system-ui, sans-serif`;
  const widths = (labels ?? []).map((text) => plot.ctx.measureText(text).width);
  return Math.ceil(Math.max(24, ...widths) / devicePixelRatio) + 14;
}

/** The label of a time, as exact as the distance to the next one asks for. */
function timeLabel(format: Format, seconds: number, step: number, days: boolean): string {
  const at = new Date(seconds * 1000);
  const zone = days ? { timeZone: "UTC" } : {};
  if (step >= 360 * DAY) {
    return format.date(at, { year: "numeric", ...zone });
  }
  if (step >= 28 * DAY && !days) {
    return format.date(at, { month: "short", year: "2-digit", ...zone });
  }
  if (step >= DAY) {
    return format.date(at, { day: "numeric", month: "short", ...zone });
  }
  const isMidnight = at.getHours() === 0 && at.getMinutes() === 0 && at.getSeconds() === 0;
  return isMidnight
    ? format.date(at, { day: "numeric", month: "short" })
    : format.date(at, {
        hour: "2-digit",
        minute: "2-digit",
        // Labels closer than a minute would read alike.
        ...(step < 60 && { second: "2-digit" }),
      });
}
