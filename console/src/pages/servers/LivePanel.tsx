import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import Skeleton from "@mui/material/Skeleton";
import RefreshOutlined from "@mui/icons-material/RefreshOutlined";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNotify } from "react-admin";
import { api, body } from "../../api/client";
import { Panel } from "../../components/Panel";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";
import { useCan } from "../../session/session";
import { LiveFacts } from "./LiveFacts";
import { reasonOf } from "./status";
import type { Server } from "./types";
import { liveKey, useLive } from "./useLive";

/** The live status of a server, and a button that queries it now. */
export function LivePanel({ server }: { server: Server }) {
  const t = useText();
  const notify = useNotify();
  const errorText = useErrorText();
  const queries = useQueryClient();
  const canWrite = useCan("admin.servers");
  const { id, enabled } = server;
  const { data: live, error } = useLive(id);
  const query = useMutation({
    mutationFn: () => body(api.POST("/api/servers/{id}/query", { params: { path: { id } } })),
    onSuccess: (reply) => queries.setQueryData(liveKey(id), reply.live),
    onError: (reason) => notify(errorText(reason), { type: "error" }),
  });

  const content = () => {
    if (!enabled) {
      return <Alert severity="info">{t("servers.live.disabled")}</Alert>;
    }
    if (live === undefined) {
      return error === null ? (
        <Skeleton variant="rounded" height={112} />
      ) : (
        <Alert severity="error">{errorText(error)}</Alert>
      );
    }
    if (live.reachable) {
      return <LiveFacts live={live} />;
    }
    const reason = reasonOf(live);
    return reason === null ? (
      <Alert severity="info">{t("servers.live.waiting")}</Alert>
    ) : (
      <Alert severity={reason === "disabled" ? "info" : "warning"}>
        {t(`servers.reason.${reason}`)}
      </Alert>
    );
  };

  return (
    <Panel
      title={t("servers.live.title")}
      actions={
        canWrite &&
        enabled && (
          <Button
            startIcon={<RefreshOutlined />}
            loading={query.isPending}
            onClick={() => query.mutate()}
          >
            {t("servers.live.query")}
          </Button>
        )
      }
    >
      {content()}
    </Panel>
  );
}
