import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../api/client";
import { useCan } from "../../session/session";
import type { Role } from "./types";

/** All roles, or none if the person may not read them. */
export function useRoles(): Role[] {
  const mayRead = useCan("admin.roles.read");
  const { data } = useQuery({
    queryKey: ["roles", "choices"],
    queryFn: () => body(api.GET("/api/roles")),
    enabled: mayRead,
  });
  return data?.roles ?? [];
}
