import { type QueryKey, useQuery, type UseQueryOptions } from "@tanstack/react-query";
import { body } from "./client";

type Options<T, S> = Omit<UseQueryOptions<T, Error, S>, "queryKey" | "queryFn">;

/** Reads from the API, and again once something that the key names has changed. */
export function useRead<T, S = T>(
  queryKey: QueryKey,
  read: () => Promise<{ data?: T }>,
  options: Options<T, S> = {},
) {
  return useQuery({ queryKey, queryFn: () => body(read()), ...options });
}
