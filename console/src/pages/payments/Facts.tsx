import Box from "@mui/material/Box";
import { Fragment, type ReactNode } from "react";

/** Names and their values, one below the other. */
export function Facts({ facts }: { facts: [string, ReactNode][] }) {
  return (
    <Box
      component="dl"
      sx={{
        display: "grid",
        fontSize: 14,
        gridTemplateColumns: "minmax(110px, 2fr) minmax(0, 3fr)",
        columnGap: 2,
        rowGap: 1.25,
        m: 0,
      }}
    >
      {facts.map(([name, value]) => (
        <Fragment key={name}>
          <Box component="dt" sx={{ color: "text.secondary" }}>
            {name}
          </Box>
          <Box component="dd" sx={{ m: 0, overflowWrap: "anywhere" }}>
            {value}
          </Box>
        </Fragment>
      ))}
    </Box>
  );
}
