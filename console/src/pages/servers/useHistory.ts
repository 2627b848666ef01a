import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../api/client";

/** How often a chart is read again. */
const REFRESH_MS = 5 * 60_000;

/** How many players a server had, from `length` seconds ago until now. */
export function useHistory(id: number, { length, step }: { length: number; step: number }) {
  return useQuery({
    queryKey: ["servers", id, "history", length, step],
    queryFn: async () => {
      const from = new Date(Date.now() - length * 1000).toISOString();
      const params = { path: { id }, query: { from, step } };
      return (await body(api.GET("/api/servers/{id}/history", { params }))).history;
    },
    refetchInterval: REFRESH_MS,
    staleTime: REFRESH_MS / 2,
  });
}
