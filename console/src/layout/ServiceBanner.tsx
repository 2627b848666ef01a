import { Alert, Box, Button } from "@mui/material";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useLocation } from "react-router";
import { useText } from "../i18n";
import { onReturn, useAway } from "../service";
import { followUpgrade, useOutdated } from "../version";

/** Says that the service does not answer, or that it has a newer version of the console. */
export function ServiceBanner() {
  const t = useText();
  const queries = useQueryClient();
  const isAway = useAway();
  const isOutdated = useOutdated();
  const { pathname } = useLocation();
  useEffect(() => onReturn(() => void queries.invalidateQueries()), [queries]);
  // A form with unsaved changes may have been left.
  useEffect(() => {
    if (isOutdated) {
      void followUpgrade();
    }
  }, [isOutdated, pathname]);
  return (
    <Box role="status" sx={{ position: "sticky", top: 60, zIndex: "appBar" }}>
      {isAway ? (
        <Alert severity="warning" role="none" sx={{ borderRadius: 0 }}>
          {t("shell.service.away")}
        </Alert>
      ) : (
        isOutdated && (
          <Alert
            severity="info"
            role="none"
            sx={{ borderRadius: 0 }}
            action={
              <Button color="inherit" onClick={() => window.location.reload()}>
                {t("shell.crash.reload")}
              </Button>
            }
          >
            {t("shell.service.outdated")}
          </Alert>
        )
      )}
    </Box>
  );
}
