import { useQuery } from "@tanstack/react-query";
import { api } from "../../api/client";
import { useCan } from "../../session/session";

const SHOWN = 8;

/** Some of the users who have a role, and how many there are. Only for those who may see users. */
export function useMembers(roleId: number) {
  return useQuery({
    queryKey: ["users", "of role", roleId],
    queryFn: async () => {
      const query = { role_id: roleId, per_page: SHOWN };
      const { data, response } = await api.GET("/api/users", { params: { query } });
      return {
        users: data?.users ?? [],
        total: Number(response.headers.get("X-Total-Count") ?? 0),
      };
    },
    enabled: useCan("admin.users.read"),
  });
}
