import Box from "@mui/material/Box";
import { visuallyHidden } from "@mui/utils";
import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useText } from "../i18n";
import { useFormat } from "../i18n/format";
import { useTokens } from "../theme/theme";
import { ChartLegend } from "./chart/ChartLegend";
import { ChartTooltip, type Hovered } from "./chart/ChartTooltip";
import { plotOptions } from "./chart/plotOptions";

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
  /** How a value reads on the axis, where there is little room. As `value` unless given. */
  axisValue?: (value: number) => string;
  /** How a time reads. */
  time?: (seconds: number) => string;
  /** Whether the times are days in UTC, not moments in the reader's time zone. */
  days?: boolean;
}

/** Values over time. A table with the same figures is there for screen readers. */
export function Chart(props: Props) {
  const { label, times, series, height = 240, value, axisValue, time, days = false } = props;
  const t = useText();
  const tokens = useTokens();
  const format = useFormat();
  const place = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const readTime =
    time ?? ((seconds: number) => format.moment(new Date(seconds * 1000).toISOString()));
  const colours = series.map(({ look }, index) =>
    look === "dashed" ? tokens.muted : (tokens.series[index % tokens.series.length] ?? tokens.text),
  );

  // The plot is drawn again only if what it shows has changed: not because a parent was rendered,
  // which would take away what the reader points at.
  const readAxis = useRef(axisValue ?? value);
  useEffect(() => {
    readAxis.current = axisValue ?? value;
  });
  const shape = JSON.stringify({
    times,
    values: series.map(({ values }) => values),
    looks: series.map(({ look }) => look ?? "line"),
    colours,
  });

  useEffect(() => {
    const element = place.current;
    if (element === null) {
      return;
    }
    const plotted = JSON.parse(shape) as Plotted;
    const options = plotOptions({
      width: element.clientWidth,
      height,
      days,
      tokens,
      format,
      looks: plotted.looks,
      colours: plotted.colours,
      axisValue: (at) => readAxis.current(at),
      onHover: setHovered,
    });
    const plot = new uPlot(options, [plotted.times, ...plotted.values], element);
    const observer = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
      setHovered(null);
    };
  }, [shape, height, days, tokens, format]);

  const marks = series.map((one, index) => ({
    label: one.label,
    colour: colours[index] ?? tokens.text,
    isDashed: one.look === "dashed",
  }));
  const read = (at: number | null | undefined) =>
    at === null || at === undefined ? "–" : value(at);
  const shownTime = hovered === null ? undefined : times[hovered.index];

  return (
    <Box component="figure" sx={{ m: 0, position: "relative" }} aria-label={label}>
      {series.length > 1 && <ChartLegend marks={marks} />}
      <Box aria-hidden sx={{ position: "relative" }}>
        <Box ref={place} sx={{ minHeight: height, overflow: "hidden" }} />
        {hovered !== null && shownTime !== undefined && (
          <ChartTooltip
            at={hovered}
            title={readTime(shownTime)}
            rows={marks.map((mark, row) => ({
              ...mark,
              value: read(series[row]?.values[hovered.index]),
            }))}
          />
        )}
      </Box>
      <table style={visuallyHidden}>
        <caption>{t("common.chartTable")}</caption>
        <thead>
          <tr>
            <th />
            {series.map((one) => (
              <th key={one.label} scope="col">
                {one.label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {times.map((seconds, row) => (
            <tr key={seconds}>
              <th scope="row">{readTime(seconds)}</th>
              {series.map((one) => (
                <td key={one.label}>{read(one.values[row])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
  );
}

interface Plotted {
  times: number[];
  values: (number | null)[][];
  looks: NonNullable<Series["look"]>[];
  colours: string[];
}
