import Alert from "@mui/material/Alert";
import AlertTitle from "@mui/material/AlertTitle";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useNotify, useRefresh } from "react-admin";
import { Link, useNavigate } from "react-router";
import { api } from "../../api/client";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import { LiveFacts } from "./LiveFacts";
import { reasonOf } from "./status";
import type { Live } from "./types";

/** What a new server answered, and what can be done now. */
export function TrialResult({ id, live }: { id: number; live: Live }) {
  const t = useText();
  const navigate = useNavigate();
  const notify = useNotify();
  const refresh = useRefresh();
  const errorText = useErrorText();
  const reason = reasonOf(live) ?? "timeout";

  const remove = async () => {
    try {
      await api.DELETE("/api/servers/{id}", { params: { path: { id } } });
      refresh();
      notify(t("common.deleted"), { type: "success" });
      void navigate("/servers");
    } catch (error) {
      notify(errorText(error), { type: "error" });
    }
  };

  return (
    <Alert
      severity={live.reachable ? "success" : "warning"}
      sx={{ mb: 2, "& .MuiAlert-message": { flexGrow: 1, minWidth: 0 } }}
    >
      <AlertTitle>
        {t(live.reachable ? "servers.create.answered" : "servers.create.silent")}
      </AlertTitle>
      {live.reachable ? (
        <LiveFacts live={live} />
      ) : (
        <>
          {t(`servers.reason.${reason}`)} {t("servers.create.silentHint")}
        </>
      )}
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 1, mt: 1.5 }}>
        <Button
          component={Link}
          to={`/servers/${id}`}
          variant={live.reachable ? "contained" : "outlined"}
          color={live.reachable ? "primary" : "inherit"}
        >
          {t(live.reachable ? "servers.create.open" : "servers.create.keep")}
        </Button>
        {!live.reachable && (
          <Button color="inherit" onClick={() => void remove()}>
            {t("servers.create.discard")}
          </Button>
        )}
      </Box>
    </Alert>
  );
}
