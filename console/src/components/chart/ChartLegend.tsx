import Box from "@mui/material/Box";
import { Swatch } from "./Swatch";

export interface Mark {
  label: string;
  colour: string;
  isDashed: boolean;
}

/** Which line is which. */
export function ChartLegend({ marks }: { marks: Mark[] }) {
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
