import Skeleton from "@mui/material/Skeleton";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { LoadError } from "./LoadError";

interface Props<T> {
  query: Pick<UseQueryResult<T>, "data" | "error" | "refetch">;
  /** The height of what will be shown, so that nothing jumps. */
  height: number;
  children: (data: T) => ReactNode;
}

/** A part of a page that loads, and fails, on its own. */
export function Loaded<T>({ query, height, children }: Props<T>) {
  const { data, error, refetch } = query;
  if (data !== undefined) {
    return children(data);
  }
  if (error === null) {
    return <Skeleton variant="rounded" height={height} aria-busy />;
  }
  return <LoadError error={error} retry={refetch} />;
}
