import { Skeleton } from "@mui/material";
import { lazy, Suspense } from "react";
import { retried } from "../retried";

export interface Series {
  label: string;
  values: (number | null)[];
  /** `dashed` is for what is compared with, `unfinished` for the end of the first line. */
  look?: "line" | "area" | "bars" | "dashed" | "unfinished";
}

export interface ChartProps {
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

/** What draws is large, and loaded once there is something to draw. */
const ChartPlot = lazy(async () => ({
  default: (await retried(() => import("./ChartPlot"))).ChartPlot,
}));

const HEIGHT = 240;
const LEGEND = 28;

/** Values over time. A table with the same figures is there for screen readers. */
export function Chart({ height = HEIGHT, ...props }: ChartProps) {
  const shape = height + (props.series.length > 1 ? LEGEND : 0);
  return (
    <Suspense fallback={<Skeleton variant="rounded" height={shape} aria-busy />}>
      <ChartPlot height={height} {...props} />
    </Suspense>
  );
}
