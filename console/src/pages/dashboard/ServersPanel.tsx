import DnsOutlined from "@mui/icons-material/DnsOutlined";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Link from "@mui/material/Link";
import Typography from "@mui/material/Typography";
import { useQuery } from "@tanstack/react-query";
import { Link as RouterLink } from "react-router";
import { api, body } from "../../api/client";
import { EmptyState } from "../../components/EmptyState";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Panel";
import { Sparkline } from "../../components/Sparkline";
import { State } from "../../components/State";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { SERVERS_QUERY, type WatchedServer } from "./servers";

const SHOWN = 8;
/** Half an hour: 48 points in a day are enough for a small line. */
const STEP_SECONDS = 1800;
const STALE_MS = 300_000;

/** The servers with the most players. */
export function ServersPanel() {
  const t = useText();
  const canAdd = useCan("admin.servers");
  const servers = useQuery(SERVERS_QUERY);
  const players = ({ live }: WatchedServer) => live?.players_online ?? -1;
  return (
    <Panel
      title={t("dashboard.servers.title")}
      hint={t("dashboard.servers.hint")}
      actions={
        <Button component={RouterLink} to="/servers">
          {t("dashboard.showAll")}
        </Button>
      }
    >
      <Loaded query={servers} height={240}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState
              icon={DnsOutlined}
              title={t("dashboard.servers.none")}
              text={t("dashboard.servers.noneText")}
              action={
                canAdd && (
                  <Button variant="contained" component={RouterLink} to="/servers/create">
                    {t("dashboard.steps.server")}
                  </Button>
                )
              }
            />
          ) : (
            <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0, typography: "body2" }}>
              {all
                .toSorted((one, other) => players(other) - players(one))
                .slice(0, SHOWN)
                .map((watched) => (
                  <Row key={watched.server.id} watched={watched} />
                ))}
            </Box>
          )
        }
      </Loaded>
    </Panel>
  );
}

function Row({ watched: { server, live } }: { watched: WatchedServer }) {
  const t = useText();
  const history = useQuery({
    queryKey: ["servers", server.id, "dashboard", "day"],
    queryFn: () =>
      body(
        api.GET("/api/servers/{id}/history", {
          params: { path: { id: server.id }, query: { step: STEP_SECONDS } },
        }),
      ),
    staleTime: STALE_MS,
  });
  const values = (history.data?.history ?? []).map((point) => point.players_avg);
  const isOnline = live?.reachable === true;
  return (
    <Box
      component="li"
      sx={{
        display: "flex",
        alignItems: "center",
        gap: 1.5,
        py: 0.75,
        borderTop: 1,
        borderColor: "divider",
        "&:first-of-type": { borderTop: 0 },
      }}
    >
      <Box sx={{ flexGrow: 1, minWidth: 0 }}>
        <Link
          component={RouterLink}
          to={`/servers/${server.id}`}
          color="textPrimary"
          noWrap
          sx={{ display: "block", fontWeight: 550 }}
        >
          {server.name}
        </Link>
        <Typography variant="body2" color="textSecondary" noWrap>
          {isOnline && live.map !== "" ? live.map : server.game}
        </Typography>
      </Box>
      {values.some((value) => value !== null) && (
        <Sparkline
          values={values}
          label={t("dashboard.servers.sparkline", { name: server.name })}
          width={96}
        />
      )}
      <Box sx={{ minWidth: 76, textAlign: "right", whiteSpace: "nowrap" }}>
        {isOnline ? (
          <>
            <strong>{live.players_online}</strong> / {live.max_players}
          </>
        ) : (
          <State
            tone={server.enabled && live?.checked_at ? "bad" : "neutral"}
            text={t(stateOf(server.enabled, live))}
          />
        )}
      </Box>
    </Box>
  );
}

function stateOf(isEnabled: boolean, live: WatchedServer["live"]) {
  if (!isEnabled) {
    return "dashboard.servers.disabled" as const;
  }
  return live?.checked_at
    ? ("dashboard.servers.silent" as const)
    : ("dashboard.servers.unknown" as const);
}
