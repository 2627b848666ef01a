import Link from "@mui/material/Link";
import type { ReactNode } from "react";
import { Link as RouterLink } from "react-router";

/** The name of a record in a table. Rows only take clicks; a link can also be reached by keyboard. */
export function RecordLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Link
      component={RouterLink}
      to={to}
      color="textPrimary"
      onClick={(event) => event.stopPropagation()}
      sx={{ fontWeight: 600, overflowWrap: "anywhere" }}
    >
      {children}
    </Link>
  );
}
