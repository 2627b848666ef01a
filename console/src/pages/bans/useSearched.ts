import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import { SHORTEST_SEARCH } from "../../api/lists";
import { findPeople } from "../../api/people";
import { useCan } from "../../session/session";
import type { Person } from "../operators/UserSearch";
import { steamOf } from "./player";
import { isName } from "./subject";
import type { BanFilters } from "./useBans";

const SHOWN = 10;

/** What a search for bans means, once the users with a name are known. */
export type Searched =
  /** The filters of the list, and the user whose name was searched for. */
  | { state: "ready"; filters: BanFilters; person: Person | null }
  | { state: "loading" }
  | { state: "failed"; error: Error; retry: () => unknown }
  | { state: "several"; people: Person[] }
  | { state: "nobody"; why: "unknown" | "short" | "forbidden" };

/** The filters that name one user. Most bans name a SteamID; others name the user. */
export async function filtersOf(id: number): Promise<Pick<BanFilters, "q" | "user_id">> {
  const params = { path: { id } };
  const { social_networks: links } = await body(
    api.GET("/api/users/{id}/social-networks", { params }),
  );
  const steam = steamOf(links);
  return steam === null ? { q: undefined, user_id: id } : { q: steam, user_id: undefined };
}

/** Finds the users that a name means. The service filters bans by SteamID, address and user. */
export function useSearched(filters: BanFilters): Searched {
  const mayFindUsers = useCan("admin.users.read");
  const { q } = filters;
  const name = isName(q) ? q : null;
  const isLong = name !== null && [...name].length >= SHORTEST_SEARCH;
  const { data, error, refetch } = useQuery({
    queryKey: ["users", "search", name, "bans"],
    queryFn: async () => {
      const people = await findPeople(name ?? "", SHOWN);
      const [first] = people;
      return {
        people,
        only: people.length === 1 && first !== undefined ? await filtersOf(first.id) : null,
      };
    },
    enabled: mayFindUsers && isLong,
  });
  if (name === null) {
    return { state: "ready", filters, person: null };
  }
  if (!mayFindUsers) {
    return { state: "nobody", why: "forbidden" };
  }
  if (!isLong) {
    return { state: "nobody", why: "short" };
  }
  if (data === undefined) {
    return error === null
      ? { state: "loading" }
      : { state: "failed", error, retry: () => refetch() };
  }
  const { people, only } = data;
  const [first] = people;
  if (first === undefined) {
    return { state: "nobody", why: "unknown" };
  }
  return only === null
    ? { state: "several", people }
    : { state: "ready", filters: { ...filters, ...only }, person: first };
}
