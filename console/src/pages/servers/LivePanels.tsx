import RefreshOutlined from "@mui/icons-material/RefreshOutlined";
import {
  Alert,
  AlertTitle,
  Box,
  Button,
  Skeleton,
  Table,
  TableBody,
  TableCell,
  TableContainer,
  TableHead,
  TableRow,
} from "@mui/material";
import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api, body } from "../../api/client";
import { FactGrid } from "../../components/Facts";
import { RouteButton } from "../../components/links";
import { Loaded } from "../../components/Loaded";
import { useLeave } from "../../components/form/UnsavedChanges";
import { Panel } from "../../components/Page";
import { useAct, useDone } from "../../components/useAct";
import { Muted, When } from "../../components/text";
import { useFormat, useText } from "../../i18n";
import { useCan } from "../../session/session";
import { StoredRefusal } from "./AddressInput";
import { type Live, liveKey, reasonOf, type Server, useLive } from "./live";

/** The live status of a server, and a button that queries it now. */
export function LivePanel({ server }: { server: Server }) {
  const t = useText();
  const [isBusy, act] = useAct();
  const queries = useQueryClient();
  const canWrite = useCan("admin.servers");
  const { id, enabled } = server;
  const live = useLive(id);
  const query = async () => {
    const reply = await body(api.POST("/api/servers/{id}/query", { params: { path: { id } } }));
    queries.setQueryData(liveKey(id), reply.live);
  };

  return (
    <Panel
      title={t("servers.live.title")}
      actions={
        canWrite &&
        enabled && (
          <Button startIcon={<RefreshOutlined />} loading={isBusy} onClick={() => act(query)}>
            {t("servers.live.query")}
          </Button>
        )
      }
    >
      {enabled ? (
        <Loaded query={live} height={112}>
          {(answer) =>
            answer.reachable ? (
              <LiveFacts live={answer} />
            ) : (
              <Silence live={answer} server={server} />
            )
          }
        </Loaded>
      ) : (
        <Alert severity="info">{t("servers.live.disabled")}</Alert>
      )}
    </Panel>
  );
}

/** Why a server did not answer. */
function Silence({ live, server }: { live: Live; server: Server }) {
  const t = useText();
  const reason = reasonOf(live);
  if (reason === "forbidden") {
    return <StoredRefusal server={server} />;
  }
  return reason === null ? (
    <Alert severity="info">{t("servers.live.waiting")}</Alert>
  ) : (
    <Alert severity={reason === "disabled" ? "info" : "warning"}>
      {t(`servers.reason.${reason}`)}
    </Alert>
  );
}

/** Who plays now. */
export function PlayersPanel({ id }: { id: number }) {
  const t = useText();
  const { data: live, isPending } = useLive(id);
  return (
    <Panel title={t("servers.players.title")} flush>
      {isPending ? (
        <Box sx={{ px: 2.5, pb: 2 }}>
          <Skeleton height={160} />
        </Box>
      ) : live === undefined || live.players.length === 0 ? (
        <Muted sx={{ px: 2.5, pb: 2.5 }}>
          {t(
            live?.reachable !== true
              ? "servers.players.unknown"
              : live.players_online > 0
                ? "servers.players.unlisted"
                : "servers.players.nobody",
          )}
        </Muted>
      ) : (
        <PlayerTable players={live.players} />
      )}
    </Panel>
  );
}

function PlayerTable({ players }: { players: Live["players"] }) {
  const t = useText();
  const format = useFormat();
  const sorted = [...players].sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
  return (
    <TableContainer sx={{ maxHeight: 480 }} tabIndex={0} aria-label={t("servers.players.title")}>
      <Table size="small" stickyHeader>
        <TableHead>
          <TableRow>
            <TableCell sx={{ pl: 2.5 }}>{t("servers.players.name")}</TableCell>
            <TableCell align="right">{t("servers.players.score")}</TableCell>
            <TableCell align="right" sx={{ pr: 2.5 }}>
              {t("servers.players.time")}
            </TableCell>
          </TableRow>
        </TableHead>
        <TableBody>
          {sorted.map(({ name, score, seconds }, index) => (
            <TableRow key={`${name}/${index}`}>
              <TableCell sx={{ pl: 2.5, overflowWrap: "anywhere" }}>
                {name === "" ? t("servers.players.nameless") : name}
              </TableCell>
              <TableCell align="right">{score === null ? "–" : format.number(score)}</TableCell>
              <TableCell align="right" sx={{ pr: 2.5, whiteSpace: "nowrap" }}>
                {seconds === null ? "–" : format.span(seconds)}
              </TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </TableContainer>
  );
}

/** What a server says about itself. */
function LiveFacts({ live }: { live: Live }) {
  const t = useText();
  const format = useFormat();
  const unknown = "–";
  const facts: [string, ReactNode][] = [
    [
      t("servers.fields.players"),
      `${format.number(live.players_online)} / ${format.number(live.max_players)}`,
    ],
    [t("servers.fields.map"), live.map === "" ? unknown : live.map],
    [
      t("servers.fields.latency"),
      live.latency_ms === null
        ? unknown
        : t("common.milliseconds", { value: format.number(live.latency_ms) }),
    ],
    [t("servers.fields.reportedName"), live.name ?? unknown],
    [t("common.version"), live.version ?? unknown],
    [t("servers.fields.checked"), <When key="checked" at={live.checked_at} />],
  ];
  return <FactGrid facts={facts} />;
}

/** What a new server answered, and what can be done now. */
export function TrialResult({ id, live }: { id: number; live: Live }) {
  const t = useText();
  const leave = useLeave();
  const done = useDone();
  const [isBusy, act] = useAct();
  const reason = reasonOf(live) ?? "timeout";

  const remove = async () => {
    await api.DELETE("/api/servers/{id}", { params: { path: { id } } });
    done(t("common.deleted"));
    leave("/servers");
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
        <RouteButton
          to={`/servers/${id}`}
          variant={live.reachable ? "contained" : "outlined"}
          color={live.reachable ? "primary" : "inherit"}
        >
          {t(live.reachable ? "servers.create.open" : "servers.create.keep")}
        </RouteButton>
        {!live.reachable && (
          <Button color="inherit" loading={isBusy} onClick={() => act(remove)}>
            {t("servers.create.discard")}
          </Button>
        )}
      </Box>
    </Alert>
  );
}
