import DnsOutlined from "@mui/icons-material/DnsOutlined";
import { Box } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { api, body, type Schemas } from "../../api/client";
import { useRead } from "../../api/useRead";
import { EmptyState } from "../../components/EmptyState";
import { RouteButton, RouteLink } from "../../components/links";
import { Loaded } from "../../components/Loaded";
import { Panel } from "../../components/Page";
import { Sparkline } from "../../components/Sparkline";
import { Muted, State } from "../../components/text";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { findGame } from "../servers/games";

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
      title={t("common.resources.servers")}
      hint={t("dashboard.servers.hint")}
      actions={<RouteButton to="/servers">{t("common.showAll")}</RouteButton>}
    >
      <Loaded query={servers} height={240}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState
              icon={DnsOutlined}
              title={t("lists.empty.servers")}
              text={t("dashboard.servers.noneText")}
              action={
                canAdd && (
                  <RouteButton variant="contained" to="/servers/create">
                    {t("dashboard.steps.server")}
                  </RouteButton>
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

/** The names of games. They change only with the version of the service. */
function useGameName(): (game: string) => string {
  const { data } = useRead(["games"], () => api.GET("/api/games"), { staleTime: Infinity });
  return (game) => findGame(data?.games ?? [], game)?.name ?? game;
}

function Row({ watched: { server, live } }: { watched: WatchedServer }) {
  const t = useText();
  const gameName = useGameName();
  const params = { path: { id: server.id }, query: { step: STEP_SECONDS } };
  const history = useRead(
    ["servers", server.id, "dashboard", "day"],
    () => api.GET("/api/servers/{id}/history", { params }),
    { staleTime: STALE_MS },
  );
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
        <RouteLink
          to={`/servers/${server.id}`}
          color="textPrimary"
          noWrap
          sx={{ display: "block", fontWeight: 550 }}
        >
          {server.name}
        </RouteLink>
        <Muted noWrap>{isOnline && live.map !== "" ? live.map : gameName(server.game)}</Muted>
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
    return "servers.state.disabled" as const;
  }
  return live?.checked_at
    ? ("servers.state.offline" as const)
    : ("dashboard.servers.unknown" as const);
}

/** A server with its last answer; null if it is disabled or its status cannot be read. */
interface WatchedServer {
  server: Schemas["ServerItem"];
  live: Schemas["ServerLiveStatus"] | null;
}

/** The status comes from the service's memory, so asking for that of each server is cheap. */
async function readServers(): Promise<WatchedServer[]> {
  const { servers } = await body(api.GET("/api/servers", { params: { query: { per_page: 100 } } }));
  return Promise.all(servers.map(async (server) => ({ server, live: await readLive(server) })));
}

async function readLive({ id, enabled }: Schemas["ServerItem"]) {
  if (!enabled) {
    return null;
  }
  try {
    return (await body(api.GET("/api/servers/{id}/live", { params: { path: { id } } }))).live;
  } catch {
    // Deleted a moment ago. The list is read again then.
    return null;
  }
}

export const SERVERS_QUERY = {
  queryKey: ["servers", "dashboard", "live"],
  queryFn: readServers,
  // The service asks each server every 30 seconds, and no event tells of an answer.
  refetchInterval: 30_000,
};
