import type { QueryClient } from "@tanstack/react-query";
import { SERVERS_QUERY } from "../servers";
import type { Check, Finding } from "./check";

async function find(client: QueryClient): Promise<Finding[]> {
  const silent = (await client.fetchQuery(SERVERS_QUERY)).filter(
    ({ live }) => live !== null && live.checked_at !== null && !live.reachable,
  );
  return silent.map(({ server, live }) => ({
    problem: "serverSilent",
    name: server.name,
    at: live?.checked_at ?? null,
    tone: "bad",
    to: `/servers/${server.id}`,
  }));
}

/** Servers that did not answer their last query. */
export const SERVERS: Check = {
  subject: "servers",
  permission: "admin.servers.read",
  queryKey: ["servers", "attention"],
  find,
};
