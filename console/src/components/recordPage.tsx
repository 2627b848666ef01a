import SearchOffOutlined from "@mui/icons-material/SearchOffOutlined";
import type { ComponentType } from "react";
import { type RaRecord, useGetOne } from "react-admin";
import { useParams } from "react-router";
import { ApiError } from "../api/error";
import { type ResourceName, RESOURCES } from "../api/resources";
import { useText } from "../i18n";
import { EmptyState } from "./EmptyState";
import { RouteButton } from "./links";
import { Loaded } from "./Loaded";
import { Page, PageSkeleton } from "./Page";

/** Says that a record does not exist, or no longer does. */
function Missing({ resource }: { resource: ResourceName }) {
  const t = useText();
  const title = t("shell.notFound.record");
  return (
    <Page title={title} back={resource}>
      <EmptyState
        icon={SearchOffOutlined}
        title={t(RESOURCES[resource].title)}
        text={t("shell.notFound.hint")}
        action={
          <RouteButton to={`/${resource}`} variant="contained">
            {t("shell.notFound.list")}
          </RouteButton>
        }
      />
    </Page>
  );
}

/** A page that reads the record that the address names, and shows it. */
export function recordPage<R extends RaRecord>(
  resource: ResourceName,
  Content: ComponentType<{ record: R }>,
): ComponentType {
  return function RecordPage() {
    const { id = "" } = useParams();
    const query = useGetOne<R>(resource, { id });
    if (query.error instanceof ApiError && query.error.status === 404) {
      return <Missing resource={resource} />;
    }
    return (
      <Loaded query={query} waiting={<PageSkeleton />}>
        {(record) => <Content key={record.id} record={record} />}
      </Loaded>
    );
  };
}
