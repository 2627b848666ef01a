import { useQuery } from "@tanstack/react-query";
import { ApiError } from "../../api/error";
import { type Snapshot, snapshot } from "./metrics";

const KEY = ["metrics"];
const EVERY_MS = 10_000;
/** A line needs three snapshots, so the first ones come sooner. */
const SOON_MS = 2000;
/** An hour. */
const KEPT = 360;

/** The metrics since the page was opened, a snapshot every ten seconds. */
export function useMetrics() {
  return useQuery({
    queryKey: KEY,
    queryFn: async ({ client }): Promise<Snapshot[]> => {
      const response = await fetch("/metrics");
      if (!response.ok) {
        throw await ApiError.from(response);
      }
      const next = snapshot(await response.text(), Date.now() / 1000);
      return [...(client.getQueryData<Snapshot[]>(KEY) ?? []), next].slice(-KEPT);
    },
    refetchInterval: ({ state }) => ((state.data?.length ?? 0) < 3 ? SOON_MS : EVERY_MS),
    refetchOnWindowFocus: false,
    gcTime: 0,
    retry: false,
  });
}
