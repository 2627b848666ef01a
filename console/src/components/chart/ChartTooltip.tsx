import Box from "@mui/material/Box";
import Paper from "@mui/material/Paper";
import type { Mark } from "./ChartLegend";
import { Swatch } from "./Swatch";

/** What the reader points at: a time of the chart, and where it is, from 0 (left) to 1 (right). */
export interface Hovered {
  index: number;
  share: number;
}

interface Props {
  at: Hovered;
  title: string;
  rows: (Mark & { value: string })[];
}

/** The values at the time that the reader points at. */
export function ChartTooltip({ at, title, rows }: Props) {
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
