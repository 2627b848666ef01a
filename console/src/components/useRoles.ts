import { api, type Schemas } from "../api/client";
import { useRead } from "../api/useRead";
import { useCan } from "../session/session";

/** A role to choose, or one that a user holds, which may expire. */
export type Role = Pick<Schemas["UserRole"], "id" | "name" | "expires_at"> &
  Partial<Schemas["ListedRole"]>;

/** All roles with their colours, or none if the person may not read them. */
export function useRoles(): Role[] {
  const mayRead = useCan("admin.roles.read");
  const params = { query: { include: "color,members" } };
  const { data } = useRead(["roles", "choices"], () => api.GET("/api/roles", { params }), {
    enabled: mayRead,
  });
  return data?.roles ?? [];
}
