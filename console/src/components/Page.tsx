import ArrowBack from "@mui/icons-material/ArrowBack";
import Box from "@mui/material/Box";
import Link from "@mui/material/Link";
import Typography from "@mui/material/Typography";
import type { ReactNode } from "react";
import { Title } from "react-admin";
import { Link as RouterLink } from "react-router";

interface Props {
  title: string;
  /** Shown beside the title, such as a state. */
  badge?: ReactNode;
  subtitle?: ReactNode;
  /** The buttons of the page. */
  actions?: ReactNode;
  /** The page above this one. */
  back?: { to: string; text: string };
  /** Forms are easier to read when they are narrow. */
  narrow?: boolean;
  children: ReactNode;
}

/** A page: its title, its buttons, its content. */
export function Page({ title, badge, subtitle, actions, back, narrow, children }: Props) {
  return (
    <Box sx={{ maxWidth: narrow === true ? 760 : 1520, mx: "auto" }}>
      <Title title={title} preferenceKey={false} />
      {back !== undefined && (
        <Link
          component={RouterLink}
          to={back.to}
          variant="body2"
          sx={{ display: "inline-flex", alignItems: "center", gap: 0.5, mb: 1 }}
        >
          <ArrowBack sx={{ fontSize: 16 }} />
          {back.text}
        </Link>
      )}
      <Box
        sx={{
          display: "flex",
          flexWrap: "wrap",
          alignItems: "center",
          columnGap: 2,
          rowGap: 1,
          mb: 2.5,
        }}
      >
        <Box sx={{ flexGrow: 1, minWidth: 0 }}>
          <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 1.5 }}>
            <Typography variant="h1" sx={{ overflowWrap: "anywhere" }}>
              {title}
            </Typography>
            {badge}
          </Box>
          {subtitle !== undefined && (
            <Typography variant="body2" color="textSecondary" component="div" sx={{ mt: 0.5 }}>
              {subtitle}
            </Typography>
          )}
        </Box>
        {actions !== undefined && (
          <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1 }}>{actions}</Box>
        )}
      </Box>
      {children}
    </Box>
  );
}
