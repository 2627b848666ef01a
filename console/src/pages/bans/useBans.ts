import { useInfiniteQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { nextCursor } from "../../api/lists";
import { useAddress } from "../../components/useAddress";
import { type BanKind, type BanState, KINDS, STATES } from "./ban";
import { queryOf } from "./subject";

/** The filters of the list. */
export interface BanFilters {
  /** A SteamID, an address or the name of a user, as it was typed. */
  q?: string | undefined;
  user_id?: number | undefined;
  kind?: BanKind | undefined;
  state?: BanState | undefined;
  server_id?: number | undefined;
  /** Who issued the ban, such as `operator:5`. */
  issued_by?: string | undefined;
}

/** The filters of the page. They are in the address, so that a link shows the same. */
export function useBanFilters(): [BanFilters, (changes: BanFilters) => void] {
  const [search, change] = useAddress({ replace: true });
  const number = (name: string) => {
    const value = search.get(name);
    return value !== null && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
  };
  const q = search.get("q")?.trim();
  const issuer = search.get("issued_by");
  const filters: BanFilters = {
    q: q === "" ? undefined : q,
    user_id: number("user_id"),
    kind: KINDS.find((one) => one === search.get("kind")),
    state: STATES.find((one) => one === search.get("state")),
    server_id: number("server_id"),
    issued_by: issuer !== null && /^(key|operator):\d{1,15}$/.test(issuer) ? issuer : undefined,
  };
  return [filters, (changes) => change({ ...changes })];
}

export function isFiltered(filters: BanFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

/** The filters by the names that the service has for them. It does not search by name. */
export function parametersOf({ q = "", ...rest }: BanFilters) {
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  return { ...(Object.fromEntries(given) as typeof rest), ...queryOf(q) };
}

const PER_PAGE = 25;

/** The bans, newest first, one part after the other. */
export function useBans(filters: BanFilters) {
  const query = parametersOf(filters);
  return useInfiniteQuery({
    queryKey: ["bans", "list", query],
    initialPageParam: null as string | null,
    queryFn: async ({ pageParam }) => {
      const { data, response } = await api.GET("/api/bans", {
        params: {
          query: { ...query, per_page: PER_PAGE, ...(pageParam !== null && { after: pageParam }) },
        },
      });
      return {
        bans: data?.bans ?? [],
        next: nextCursor(response.headers.get("Link")),
        total: Number(response.headers.get("X-Total-Count") ?? 0),
        isTotalExact: response.headers.get("X-Total-Count-Relation") !== "at-least",
      };
    },
    getNextPageParam: ({ next }) => next,
    // The list stays while another part of it, or another filter, is read.
    placeholderData: (previous) => previous,
  });
}
