import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../api/client";

/** All permissions that there are. They change only with the version of the service. */
export function useCatalogue() {
  return useQuery({
    queryKey: ["permissions", "catalog"],
    queryFn: async () => (await body(api.GET("/api/permissions/catalog"))).permissions,
    staleTime: Infinity,
  });
}
