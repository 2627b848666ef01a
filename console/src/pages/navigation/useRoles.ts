import { useQuery } from "@tanstack/react-query";
import { api, body, type Schemas } from "../../api/client";
import { useCan } from "../../session/session";

type Role = Schemas["NavbarItemRole"];

/** All roles, if the person may read them. */
export function useRoles(): { roles: Role[]; mayRead: boolean } {
  const mayRead = useCan("admin.roles.read");
  const { data } = useQuery({
    queryKey: ["roles", "names"],
    queryFn: async () =>
      (await body(api.GET("/api/roles"))).roles.map(({ id, name }) => ({ id, name })),
    enabled: mayRead,
  });
  return { roles: data ?? [], mayRead };
}
