import ArrowBack from "@mui/icons-material/ArrowBack";
import { Box, Card, Skeleton, Typography } from "@mui/material";
import { type ReactNode, useId } from "react";
import { RESOURCES, type ResourceName } from "../api/resources";
import { useText } from "../i18n";
import { UnsavedChanges } from "./form/UnsavedChanges";
import { RouteLink } from "./links";
import { Muted } from "./text";

interface Props {
  title: string;
  /** Shown beside the title, such as a state. */
  badge?: ReactNode;
  subtitle?: ReactNode;
  /** The buttons of the page. */
  actions?: ReactNode;
  /** The list above this page. */
  back?: ResourceName;
  /** Forms are easier to read when they are narrow. */
  narrow?: boolean;
  children: ReactNode;
}

/** A page: its title, its buttons, its content. */
export function Page({ title, badge, subtitle, actions, back, narrow, children }: Props) {
  const t = useText();
  return (
    <Box sx={{ maxWidth: narrow === true ? 760 : 1520, mx: "auto" }}>
      <UnsavedChanges>
        <title>
          {[title, ...(back === undefined ? [] : [t(RESOURCES[back].title)]), "Steward"].join(
            " – ",
          )}
        </title>
        {back !== undefined && (
          <RouteLink
            to={`/${back}`}
            variant="body2"
            sx={{ display: "inline-flex", alignItems: "center", gap: 0.5, mb: 1 }}
          >
            <ArrowBack sx={{ fontSize: 16 }} />
            {t(RESOURCES[back].title)}
          </RouteLink>
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
            {subtitle !== undefined && <Muted sx={{ mt: 0.5 }}>{subtitle}</Muted>}
          </Box>
          {actions !== undefined && (
            <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1 }}>{actions}</Box>
          )}
        </Box>
        {children}
      </UnsavedChanges>
    </Box>
  );
}

interface ColumnsProps {
  /** The widths of the columns, on screens that are wide enough. */
  widths: string;
  from?: "md" | "lg";
  gap?: number;
  children: ReactNode;
}

/** Panels side by side on wide screens, one below the other on narrow ones. */
export function Columns({ widths, from = "lg", gap = 2.5, children }: ColumnsProps) {
  return (
    <Box
      sx={{
        display: "grid",
        gap,
        alignItems: "start",
        gridTemplateColumns: { xs: "minmax(0, 1fr)", [from]: widths },
      }}
    >
      {children}
    </Box>
  );
}

/** The shape of a page while it loads, so that nothing jumps when it arrives. */
export function PageSkeleton() {
  return (
    <Box aria-busy>
      <Skeleton variant="text" width={220} height={38} sx={{ mb: 2 }} />
      <Skeleton variant="rounded" height={420} sx={{ borderRadius: 3 }} />
    </Box>
  );
}

interface PanelProps {
  title?: string;
  /** A sentence under the title. */
  hint?: ReactNode;
  actions?: ReactNode;
  /** Tables reach the edge of the panel. */
  flush?: boolean;
  children: ReactNode;
}

/** A group of things that belong together, with a border around it. */
export function Panel({ title, hint, actions, flush, children }: PanelProps) {
  const id = useId();
  const isFlush = flush === true;
  return (
    <Card component="section" aria-labelledby={title === undefined ? undefined : id}>
      {(title !== undefined || actions !== undefined) && (
        <Box
          sx={{
            display: "flex",
            flexWrap: "wrap",
            alignItems: "center",
            gap: 1,
            px: 2.5,
            pt: 2,
            pb: isFlush ? 1.5 : 0,
          }}
        >
          <Box sx={{ flexGrow: 1, flexBasis: 200 }}>
            <Typography variant="h2" id={id}>
              {title}
            </Typography>
            {hint !== undefined && <Muted>{hint}</Muted>}
          </Box>
          {actions}
        </Box>
      )}
      <Box sx={{ p: isFlush ? 0 : 2.5 }}>{children}</Box>
    </Card>
  );
}
