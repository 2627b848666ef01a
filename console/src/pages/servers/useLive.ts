import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../api/client";

const REFRESH_MS = 15_000;

export function liveKey(id: number) {
  return ["servers", id, "live"];
}

/** What a server last answered, read again every 15 seconds while it is on the screen. */
export function useLive(id: number) {
  return useQuery({
    queryKey: liveKey(id),
    queryFn: async () =>
      (await body(api.GET("/api/servers/{id}/live", { params: { path: { id } } }))).live,
    refetchInterval: REFRESH_MS,
  });
}
