import Box from "@mui/material/Box";
import { visuallyHidden } from "@mui/utils";
import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useText } from "../i18n";
import { useFormat } from "../i18n/format";
import { useTokens } from "../theme/theme";

export interface Series {
  label: string;
  values: (number | null)[];
  /** `dashed` is for what is compared with. */
  look?: "line" | "area" | "bars" | "dashed";
}

interface Props {
  /** What the chart shows, for people who cannot see it. */
  label: string;
  /** Unix seconds. */
  times: number[];
  series: Series[];
  height?: number;
  /** How a value reads. */
  value: (value: number) => string;
  /** How a time reads. */
  time?: (seconds: number) => string;
}

/** Values over time. A table with the same figures is there for screen readers. */
export function Chart({ label, times, series, height = 240, value, time }: Props) {
  const t = useText();
  const tokens = useTokens();
  const format = useFormat();
  const place = useRef<HTMLDivElement>(null);
  const readTime =
    time ?? ((seconds: number) => format.moment(new Date(seconds * 1000).toISOString()));

  useEffect(() => {
    const element = place.current;
    if (element === null) {
      return;
    }
    const axis = {
      stroke: tokens.muted,
      grid: { stroke: tokens.border, width: 1 },
      ticks: { show: false },
      font: "12px system-ui, sans-serif",
    };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: series.length > 1, live: true },
        cursor: { points: { size: 7 } },
        scales: { y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] } },
        axes: [
          { ...axis, grid: { show: false } },
          { ...axis, size: 64, values: (_, ticks) => ticks.map(value) },
        ],
        series: [
          { label: "", value: (_, seconds) => (seconds === null ? "" : readTime(seconds)) },
          ...series.map((one, index) => {
            const colour = tokens.series[index % tokens.series.length] ?? tokens.accent;
            const isDashed = one.look === "dashed";
            return {
              label: one.label,
              stroke: isDashed ? tokens.muted : colour,
              width: 2,
              ...(isDashed && { dash: [4, 4], width: 1.5 }),
              ...(one.look === "area" && { fill: `${colour}22` }),
              ...(one.look === "bars" && {
                paths: uPlot.paths.bars?.({ size: [0.7, 40], radius: 0.15 }),
                fill: colour,
              }),
              points: { show: false },
              value: (_: uPlot, at: number | null) => (at === null ? "–" : value(at)),
            } as uPlot.Series;
          }),
        ],
      },
      [times, ...series.map(({ values }) => values)],
      element,
    );
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  });

  return (
    <Box component="figure" sx={{ m: 0 }} aria-label={label}>
      <Box
        ref={place}
        aria-hidden
        sx={{ minHeight: height, "& .u-legend": { color: "text.secondary", fontSize: 12 } }}
      />
      <table style={visuallyHidden}>
        <caption>{t("common.chartTable")}</caption>
        <thead>
          <tr>
            <th />
            {series.map((one) => (
              <th key={one.label}>{one.label}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((seconds, row) => (
            <tr key={seconds}>
              <th>{readTime(seconds)}</th>
              {series.map((one) => {
                const at = one.values[row];
                return <td key={one.label}>{at === null || at === undefined ? "–" : value(at)}</td>;
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
  );
}
