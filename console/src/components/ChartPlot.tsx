import { Box, Paper } from "@mui/material";
import { visuallyHidden } from "@mui/utils";
import { useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { useFormat, useText } from "../i18n";
import { useTokens } from "../theme/theme";
import type { ChartProps, Series } from "./Chart";
import { type Hovered, plotOptions } from "./plotOptions";

/** Values over time. A table with the same figures is there for screen readers. */
export function ChartPlot(props: ChartProps & { height: number }) {
  const { label, times, series, height, value, axisValue, time, days = false } = props;
  const t = useText();
  const tokens = useTokens();
  const format = useFormat();
  const place = useRef<HTMLDivElement>(null);
  const [hovered, setHovered] = useState<Hovered | null>(null);
  const readTime =
    time ?? ((seconds: number) => format.moment(new Date(seconds * 1000).toISOString()));
  const colours = series.map(({ look }, index) => {
    const [first, ...others] = tokens.series;
    return look === "dashed"
      ? tokens.muted
      : look === "unfinished"
        ? first
        : ([first, ...others][index % tokens.series.length] ?? tokens.text);
  });

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
    isDashed: one.look === "dashed" || one.look === "unfinished",
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
            <td />
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

interface Mark {
  label: string;
  colour: string;
  isDashed: boolean;
}

/** Which line is which. */
function ChartLegend({ marks }: { marks: Mark[] }) {
  return (
    <Box
      aria-hidden
      sx={{ display: "flex", flexWrap: "wrap", columnGap: 2, rowGap: 0.5, mb: 1, fontSize: 13 }}
    >
      {marks.map((mark) => (
        <Box
          key={mark.label}
          sx={{ display: "flex", alignItems: "center", gap: 0.75, color: "text.secondary" }}
        >
          <Swatch colour={mark.colour} isDashed={mark.isDashed} />
          {mark.label}
        </Box>
      ))}
    </Box>
  );
}

interface ChartTooltipProps {
  at: Hovered;
  title: string;
  rows: (Mark & { value: string })[];
}

/** The values at the time that the reader points at. */
function ChartTooltip({ at, title, rows }: ChartTooltipProps) {
  return (
    <Paper
      variant="outlined"
      sx={{
        position: "absolute",
        top: 8,
        // The farther right the pointer, the more of it is left of the pointer: it never leaves the
        // chart.
        left: `${at.share * 100}%`,
        transform: `translateX(${-at.share * 100}%)`,
        px: 1.5,
        py: 1,
        maxWidth: "100%",
        fontSize: 13,
        pointerEvents: "none",
        zIndex: 1,
      }}
    >
      <Box sx={{ color: "text.secondary", mb: 0.5 }}>{title}</Box>
      {rows.map(({ label, value, colour, isDashed }) => (
        <Box key={label} sx={{ display: "flex", alignItems: "center", gap: 1 }}>
          <Swatch colour={colour} isDashed={isDashed} />
          <Box sx={{ flexGrow: 1 }}>{label}</Box>
          <Box sx={{ fontWeight: 600, whiteSpace: "nowrap" }}>{value}</Box>
        </Box>
      ))}
    </Paper>
  );
}

/** A short piece of a line of a chart. */
function Swatch({ colour, isDashed }: { colour: string; isDashed: boolean }) {
  return (
    <Box
      component="span"
      sx={{
        width: 14,
        flexShrink: 0,
        borderTop: 3,
        borderTopStyle: isDashed ? "dotted" : "solid",
        borderTopColor: colour,
      }}
    />
  );
}
