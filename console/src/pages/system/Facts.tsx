import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import type { ReactNode } from "react";

/** Names and values side by side, as many in a row as fit. */
export function Facts({ facts }: { facts: (readonly [name: string, value: ReactNode])[] }) {
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
