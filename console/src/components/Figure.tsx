import Box from "@mui/material/Box";
import Card from "@mui/material/Card";
import Link from "@mui/material/Link";
import Typography from "@mui/material/Typography";
import type { ReactNode } from "react";
import { Link as RouterLink } from "react-router";

interface Props {
  label: string;
  /** What there is to know, such as a number. */
  children: ReactNode;
  /** A line below it. */
  detail?: ReactNode;
  /** The page that shows more. */
  to?: string;
}

/** One number that matters, in large type. */
export function Figure({ label, children, detail, to }: Props) {
  return (
    <Card sx={{ px: 2.5, py: 2 }}>
      <Typography variant="body2" color="textSecondary">
        {to === undefined ? (
          label
        ) : (
          <Link component={RouterLink} to={to} color="inherit">
            {label}
          </Link>
        )}
      </Typography>
      <Box sx={{ fontSize: "1.625rem", fontWeight: 650, lineHeight: 1.3, minHeight: 36 }}>
        {children}
      </Box>
      <Typography variant="body2" color="textSecondary" component="div" sx={{ minHeight: 21 }}>
        {detail}
      </Typography>
    </Card>
  );
}
