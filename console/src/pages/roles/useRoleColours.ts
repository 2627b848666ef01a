import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import { useCan } from "../../session/session";

/**
 * The colours of roles, by id. Roles do not show theirs, but the audit log tells who set which; so
 * the colour of a role that was not changed lately, or not at all, is not known.
 */
export function useRoleColours(id?: number): ReadonlyMap<number, string> {
  const mayRead = useCan("admin.audit.read");
  const { data } = useQuery({
    queryKey: ["roles", "colours", id ?? "all"],
    queryFn: async () => {
      const query = {
        resource: "roles",
        per_page: 100,
        ...(id !== undefined && { resource_id: id }),
      };
      const { audit_log } = await body(api.GET("/api/audit-log", { params: { query } }));
      const colours = new Map<number, string>();
      // The newest entries come first.
      for (const { resource_id, after } of audit_log) {
        const colour = after["color"];
        if (typeof colour === "string" && !colours.has(resource_id)) {
          colours.set(resource_id, colour);
        }
      }
      return colours;
    },
    enabled: mayRead,
  });
  return data ?? NONE;
}

const NONE: ReadonlyMap<number, string> = new Map();
