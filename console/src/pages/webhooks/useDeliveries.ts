import { useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { nextCursor } from "../../api/cursor";
import type { DeliveryState } from "./types";

const PER_PAGE = 25;
/** Deliveries that wait may be sent at any moment. */
const REFRESH_MS = 10_000;

/** The deliveries of a webhook, newest first, one part after the other. */
export function useDeliveries(id: number, state: DeliveryState | null) {
  return useInfiniteQuery({
    queryKey: ["webhooks", id, "deliveries", state],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam }) => {
      const { data, response } = await api.GET("/api/webhooks/{id}/deliveries", {
        params: {
          path: { id },
          query: {
            per_page: PER_PAGE,
            ...(state !== null && { state }),
            ...(pageParam !== null && { after: pageParam }),
          },
        },
      });
      return {
        deliveries: data?.deliveries ?? [],
        next: nextCursor(response.headers.get("Link")),
      };
    },
    getNextPageParam: ({ next }) => next,
    refetchInterval: REFRESH_MS,
  });
}
