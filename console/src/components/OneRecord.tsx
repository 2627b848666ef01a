import type { ReactNode } from "react";
import { type RaRecord, useGetOne } from "react-admin";
import { useParams } from "react-router";
import type { ResourceName } from "../api/resources";
import { PageSkeleton } from "./PageSkeleton";
import { LoadError } from "./LoadError";

interface Props<R> {
  resource: ResourceName;
  children: (record: R) => ReactNode;
}

/** Reads the record that the address names. */
export function OneRecord<R extends RaRecord>({ resource, children }: Props<R>) {
  const { id = "" } = useParams();
  const { data, error, refetch } = useGetOne<R>(resource, { id: id });
  if (data !== undefined) {
    return children(data);
  }
  if (error === null) {
    return <PageSkeleton />;
  }
  return <LoadError error={error} retry={refetch} />;
}
