import { Box, Typography } from "@mui/material";
import type { ReactNode } from "react";

interface Props {
  facts: { label: string; value: ReactNode }[];
}

/** What is known about a record: names on the left, values on the right. */
export function Facts({ facts }: Props) {
  return (
    <Box component="dl" sx={{ m: 0, display: "grid", rowGap: 1.25 }}>
      {facts.map(({ label, value }) => (
        <Box key={label} sx={{ display: "flex", flexWrap: "wrap", gap: 0.5, columnGap: 2 }}>
          <Typography component="dt" variant="body2" color="textSecondary" sx={{ flexGrow: 1 }}>
            {label}
          </Typography>
          <Typography component="dd" variant="body2" sx={{ m: 0, overflowWrap: "anywhere" }}>
            {value}
          </Typography>
        </Box>
      ))}
    </Box>
  );
}

/** Names and values side by side, as many in a row as fit. */
export function FactGrid({ facts }: { facts: (readonly [name: string, value: ReactNode])[] }) {
  return (
    <Box
      component="dl"
      sx={{
        m: 0,
        display: "grid",
        gap: 2,
        gridTemplateColumns: "repeat(auto-fill, minmax(140px, 1fr))",
      }}
    >
      {facts.map(([name, value]) => (
        <div key={name}>
          <Typography variant="body2" component="dt" color="textSecondary">
            {name}
          </Typography>
          <Box component="dd" sx={{ m: 0, fontWeight: 600, overflowWrap: "anywhere" }}>
            {value}
          </Box>
        </div>
      ))}
    </Box>
  );
}
