import type { SvgIconComponent } from "@mui/icons-material";
import { Box, Typography } from "@mui/material";
import type { ReactNode } from "react";
import { useTokens } from "../theme/theme";

interface Props {
  icon: SvgIconComponent;
  title: string;
  /** What this is, and why one wants it. */
  text: string;
  /** The button to begin. */
  action?: ReactNode;
}

/** What is shown where there is nothing yet. */
export function EmptyState({ icon: Icon, title, text, action }: Props) {
  const tokens = useTokens();
  return (
    <Box sx={{ py: 8, px: 2, maxWidth: 480, mx: "auto", textAlign: "center" }}>
      <Box
        sx={{
          width: 64,
          height: 64,
          mx: "auto",
          mb: 2,
          display: "grid",
          placeItems: "center",
          borderRadius: 4,
          bgcolor: tokens.accentSoft,
          color: tokens.accent,
        }}
      >
        <Icon sx={{ fontSize: 32 }} />
      </Box>
      <Typography variant="h2" gutterBottom>
        {title}
      </Typography>
      <Typography color="textSecondary" sx={{ mb: 3 }}>
        {text}
      </Typography>
      {action}
    </Box>
  );
}
