import { useQuery } from "@tanstack/react-query";
import { request } from "../../api/client";
import { RESOURCES, type ResourceInfo } from "../../api/resources";
import { grants, useSession } from "../../session/session";
import { NAMES, type Subject } from "./subject";

const STALE_MS = 300_000;

/**
 * The name of a record whose entry does not have it. One text of the key, and not the resource
 * alone: a change of one user must not ask for the names of all others again.
 */
export function useRecordName({ name, resource, id }: Subject): string | null {
  const session = useSession();
  const info: ResourceInfo | null = resource === null ? null : RESOURCES[resource];
  const field = resource === null ? undefined : NAMES[resource];
  const { data } = useQuery({
    queryKey: ["name of", `${resource}/${id}`],
    queryFn: async ({ signal }) => {
      const reply = await request("GET", `${info?.path}/${id}`, { signal });
      const record = reply.body[info?.one ?? ""] as Record<string, unknown>;
      return String(record[field ?? ""]);
    },
    enabled:
      name === null && id !== null && field !== undefined && grants(session, info?.read ?? ""),
    staleTime: STALE_MS,
    retry: false,
  });
  return name ?? data ?? null;
}
