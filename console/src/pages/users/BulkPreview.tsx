import Alert from "@mui/material/Alert";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useWatch } from "react-hook-form";
import { api, body, type Schemas } from "../../api/client";
import type { Values } from "../../components/form/conflict";
import { useText } from "../../i18n";
import { useErrorText } from "../../i18n/describe";

const DELAY_MS = 300;

interface Props {
  /** The request that the form would send. */
  changeOf: (values: Values) => Schemas["BulkUserChange"];
  /** Told how many users would change. */
  onCount: (count: number) => void;
}

/** Asks the service what a change of many would do, without doing it. */
export function BulkPreview({ changeOf, onCount }: Props) {
  const t = useText();
  const errorText = useErrorText();
  const change = useSettled(JSON.stringify(changeOf(useWatch() as Values)));
  const { data, error } = useQuery({
    queryKey: ["users", "bulk", change],
    queryFn: () => {
      const request = JSON.parse(change) as Schemas["BulkUserChange"];
      return body(api.POST("/api/users/bulk", { body: { ...request, dry_run: true } }));
    },
    placeholderData: (previous) => previous,
    retry: false,
  });
  const count = error === null ? (data?.changed.length ?? 0) : 0;
  useEffect(() => onCount(count), [count, onCount]);

  if (error !== null) {
    return <Alert severity="error">{errorText(error)}</Alert>;
  }
  return (
    <Alert severity="info" role="status" sx={{ minHeight: 52 }}>
      {data === undefined
        ? t("common.loading")
        : [
            t("users.bulk.wouldChange", { smart_count: data.changed.length }),
            t("users.bulk.alreadyAre", { smart_count: data.unchanged.length }),
          ].join(" ")}
    </Alert>
  );
}

/** The value once it has stopped changing, so that typing does not ask with every letter. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), DELAY_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
