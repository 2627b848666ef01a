import { api, body, type Schemas } from "../../api/client";

/** A server with its last answer; null if it is disabled or its status cannot be read. */
export interface WatchedServer {
  server: Schemas["ServerItem"];
  live: Schemas["ServerLiveStatus"] | null;
}

/** The status comes from the service's memory, so asking for that of each server is cheap. */
export async function readServers(): Promise<WatchedServer[]> {
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
