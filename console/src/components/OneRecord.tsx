import Alert from "@mui/material/Alert";
import Button from "@mui/material/Button";
import type { ReactNode } from "react";
import { type RaRecord, useGetOne } from "react-admin";
import { useParams } from "react-router";
import type { ResourceName } from "../api/resources";
import { useText } from "../i18n";
import { useErrorText } from "../i18n/describe";
import { PageSkeleton } from "./PageSkeleton";

interface Props<R> {
  resource: ResourceName;
  children: (record: R) => ReactNode;
}

/** Reads the record that the address names. */
export function OneRecord<R extends RaRecord>({ resource, children }: Props<R>) {
  const t = useText();
  const errorText = useErrorText();
  const { id = "" } = useParams();
  const { data, error, refetch } = useGetOne<R>(resource, { id: id });
  if (data !== undefined) {
    return children(data);
  }
  if (error === null) {
    return <PageSkeleton />;
  }
  return (
    <Alert
      severity="error"
      action={
        <Button color="inherit" onClick={() => void refetch()}>
          {t("common.retry")}
        </Button>
      }
    >
      {errorText(error)}
    </Alert>
  );
}
