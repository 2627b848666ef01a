import { useQuery } from "@tanstack/react-query";
import { api, body } from "../../api/client";

/** The games that the service knows. They change only with its version. */
export function useGames() {
  return useQuery({
    queryKey: ["games"],
    queryFn: async () => (await body(api.GET("/api/games"))).games,
    staleTime: Infinity,
  });
}
