import Box from "@mui/material/Box";
import Card from "@mui/material/Card";
import Typography from "@mui/material/Typography";
import type { ReactNode } from "react";
import { Notification } from "react-admin";
import { useDocumentLanguage } from "../i18n/useDocumentLanguage";
import { Logo } from "../layout/Logo";

/** The frame of the pages before one is signed in. */
export function Entrance({ title, children }: { title: string; children: ReactNode }) {
  useDocumentLanguage();
  return (
    <Box
      component="main"
      sx={{
        minHeight: "100vh",
        display: "grid",
        placeItems: "center",
        bgcolor: "background.default",
        p: 2,
      }}
    >
      <title>{`${title} · Steward`}</title>
      <Card sx={{ width: "100%", maxWidth: 400, p: { xs: 3, sm: 4 } }}>
        <Box sx={{ mb: 3 }}>
          <Logo />
        </Box>
        <Typography variant="h1" sx={{ mb: 2.5 }}>
          {title}
        </Typography>
        {children}
      </Card>
      <Notification />
    </Box>
  );
}
