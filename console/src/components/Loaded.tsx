import { Alert, Box, Button, Skeleton } from "@mui/material";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { useErrorText, useText } from "../i18n";

interface Props<T> {
  query: Pick<UseQueryResult<T>, "data" | "error" | "refetch">;
  /** The height of what will be shown, so that nothing jumps. */
  height?: number;
  /** Shown until then, if it is not just a shape of that height. */
  waiting?: ReactNode;
  /** Whether the panel around it has no padding. */
  inset?: boolean;
  children: (data: T) => ReactNode;
}

/** A part of a page that loads, and fails, on its own. */
export function Loaded<T>({ query, height = 56, waiting, inset, children }: Props<T>) {
  const { data, error, refetch } = query;
  if (data !== undefined) {
    return children(data);
  }
  const state =
    error === null ? (
      (waiting ?? <Skeleton variant="rounded" height={height} aria-busy />)
    ) : (
      <LoadError error={error} retry={refetch} />
    );
  return inset === true ? <Box sx={{ px: 2.5, pb: 2.5 }}>{state}</Box> : state;
}

interface ErrorProps {
  error: unknown;
  retry: () => unknown;
  /** What could not be read, if that is not clear. */
  what?: string;
}

/** Why something could not be read, with a button that tries again. */
export function LoadError({ error, retry, what }: ErrorProps) {
  const t = useText();
  const errorText = useErrorText();
  return (
    <Alert
      severity="error"
      action={
        <Button color="inherit" onClick={() => void retry()}>
          {t("common.retry")}
        </Button>
      }
    >
      {what !== undefined && `${what}: `}
      {errorText(error)}
    </Alert>
  );
}
