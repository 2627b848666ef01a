import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
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
