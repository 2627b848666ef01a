import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { api, body } from "../../../api/client";
import { nextCursor } from "../../../api/lists";
import { useAddress } from "../../../components/useAddress";
import { useCan } from "../../../session/session";
import { type Grant, GRANT_STATES, type GrantState, type GrantStep, shownState } from "./grant";

/** The filters of the list, by the names that the service has for them. */
export interface GrantFilters {
  state?: GrantState | undefined;
  user_id?: number | undefined;
  product_id?: number | undefined;
  server_id?: number | undefined;
}

const NUMBERS = ["user_id", "product_id", "server_id"] as const;

/** The filters of the page. They are in the address, so that a link shows the same. */
export function useGrantFilters(): [GrantFilters, (changes: GrantFilters) => void] {
  const [search, change] = useAddress({ replace: true });
  const filters: GrantFilters = {};
  const state = GRANT_STATES.find((one) => one === search.get("state"));
  if (state !== undefined) {
    filters.state = state;
  }
  for (const name of NUMBERS) {
    const value = search.get(name);
    if (value !== null && /^\d{1,15}$/.test(value)) {
      filters[name] = Number(value);
    }
  }
  return [filters, (changes) => change({ ...changes })];
}

const PER_PAGE = 25;
/** Commands that wait may be sent at any moment, of which no event tells. */
const REFRESH_MS = 5000;

/** Reads often as long as something is in progress. */
export function refreshOf(grants: readonly Grant[] | undefined): number | false {
  const isMoving = (grant: Grant) => ["pending", "revoking"].includes(shownState(grant));
  return grants?.some(isMoving) === true ? REFRESH_MS : false;
}

/** The grants, newest first, one part after the other. */
export function useGrants(filters: GrantFilters) {
  return useInfiniteQuery({
    queryKey: ["grants", "list", filters],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam }) => {
      const { data, response } = await api.GET("/api/grants", {
        params: {
          query: {
            ...filters,
            per_page: PER_PAGE,
            ...(pageParam !== null && { after: pageParam }),
          },
        },
      });
      return { grants: data?.grants ?? [], next: nextCursor(response.headers.get("Link")) };
    },
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state }) => refreshOf(state.data?.pages.flatMap(({ grants }) => grants)),
  });
}

/** How many grants need attention. */
export async function countAttention(): Promise<number> {
  const query = { state: "attention", per_page: 1 } as const;
  const { response } = await api.GET("/api/grants", { params: { query } });
  return Number(response.headers.get("X-Total-Count") ?? 0);
}

/** As many as one request may ask for. */
const LATEST = 100;

/** How many of the latest grants in progress have a step that failed and is tried again. */
export async function countDelayed(): Promise<number> {
  const query = { state: "pending", per_page: LATEST } as const;
  const { grants } = await body(api.GET("/api/grants", { params: { query } }));
  const isDelayed = ({ state, error }: GrantStep) => state === "pending" && error !== null;
  return grants.filter(({ steps }) => steps.some(isDelayed)).length;
}

export function useAttention() {
  const mayRead = useCan("admin.products.read");
  return useQuery({
    queryKey: ["grants", "attention count"],
    queryFn: countAttention,
    enabled: mayRead,
  });
}
