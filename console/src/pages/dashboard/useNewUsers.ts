import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { useCan } from "../../session/session";
import { countSince, PAGE_SIZE, type UserPage } from "./newUsers";
import type { Period } from "./period";

/** How many users were created in a period and in the one before, and how many there are. */
export function useNewUsers(current: Period, previous: Period) {
  return useQuery({
    queryKey: ["users", "dashboard", "new", current.start, previous.start],
    queryFn: async () => {
      const pages = new Map<number, Promise<UserPage>>();
      const read = (page: number) => {
        const known = pages.get(page) ?? readPage(page);
        pages.set(page, known);
        return known;
      };
      const since = ({ start }: Period) => countSince(`${start}T00:00:00Z`, read);
      const [now, both] = await Promise.all([since(current), since(previous)]);
      return { now, before: both - now, total: (await read(1)).total };
    },
    enabled: useCan("admin.users.read"),
  });
}

async function readPage(page: number): Promise<UserPage> {
  const { data, response } = await api.GET("/api/users", {
    params: { query: { sort: "-id", page, per_page: PAGE_SIZE } },
  });
  return {
    created: (data?.users ?? []).map(({ created_at }) => created_at),
    total: Number(response.headers.get("X-Total-Count") ?? 0),
  };
}
