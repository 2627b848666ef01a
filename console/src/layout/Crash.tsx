import Alert from "@mui/material/Alert";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Typography from "@mui/material/Typography";
import { Component, type ReactNode } from "react";
import { useText } from "../i18n";
import { MONOSPACE } from "../theme/tokens";

/** What is shown instead of a page that failed. */
export function Crash({ error }: { error?: unknown }) {
  const t = useText();
  return (
    <Alert severity="error" sx={{ maxWidth: 720 }}>
      <Typography variant="h2" component="h1" gutterBottom>
        {t("shell.crash.title")}
      </Typography>
      <Typography variant="body2">{t("shell.crash.hint")}</Typography>
      <Box component="pre" sx={{ fontFamily: MONOSPACE, fontSize: 12, whiteSpace: "pre-wrap" }}>
        {error instanceof Error ? error.message : String(error)}
      </Box>
      <Button variant="outlined" color="inherit" onClick={() => window.location.reload()}>
        {t("shell.crash.reload")}
      </Button>
    </Alert>
  );
}

/** Keeps a fault of one page away from the rest. */
export class CrashBoundary extends Component<{ children: ReactNode }, { error: unknown }> {
  override state = { error: null as unknown };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    return this.state.error === null ? this.props.children : <Crash error={this.state.error} />;
  }
}
