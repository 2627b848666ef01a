import SearchOffOutlined from "@mui/icons-material/SearchOffOutlined";
import { Alert, Box, Button, Typography } from "@mui/material";
import { Component, type ReactNode } from "react";
import { EmptyState } from "../components/EmptyState";
import { RouteButton } from "../components/links";
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
      {isLost(error) ? (
        <Typography variant="body2" sx={{ mb: 1 }}>
          {t("shell.crash.lost")}
        </Typography>
      ) : (
        <>
          <Typography variant="body2">{t("shell.crash.hint")}</Typography>
          <Box component="pre" sx={{ fontFamily: MONOSPACE, fontSize: 12, whiteSpace: "pre-wrap" }}>
            {error instanceof Error ? error.message : String(error)}
          </Box>
        </>
      )}
      <Button variant="outlined" color="inherit" onClick={() => window.location.reload()}>
        {t("shell.crash.reload")}
      </Button>
    </Alert>
  );
}

/** Whether a part of the console could not be loaded. Each browser says so in its own words. */
function isLost(error: unknown): boolean {
  return error instanceof TypeError && /import|module script/i.test(error.message);
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

export function NotFound() {
  const t = useText();
  return (
    <EmptyState
      icon={SearchOffOutlined}
      title={t("shell.notFound.title")}
      text={t("shell.notFound.hint")}
      action={<BackButton />}
    />
  );
}

/** Leads away from a page that cannot be shown. */
export function BackButton() {
  const t = useText();
  return (
    <RouteButton to="/" variant="contained">
      {t("shell.notFound.back")}
    </RouteButton>
  );
}
