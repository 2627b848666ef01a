import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Card from "@mui/material/Card";
import Skeleton from "@mui/material/Skeleton";
import Typography from "@mui/material/Typography";
import useMediaQuery from "@mui/material/useMediaQuery";
import type { ComponentProps, ReactNode } from "react";
import {
  DataTable,
  FilterLiveForm,
  ListBase,
  Pagination,
  type RaRecord,
  ColumnsButton,
  type SortPayload,
  useListContext,
} from "react-admin";
import type { ResourceName } from "../../api/resources";
import { type Translate, useText } from "../../i18n";
import { useChangedBy } from "../../live/changes";
import { useTokens } from "../../theme/theme";
import type { Tokens } from "../../theme/tokens";
import { Page } from "../Page";
import { BulkBar } from "./BulkBar";
import { RowList } from "./RowList";
import { SelectableBody } from "./SelectableBody";
import { LoadError } from "../LoadError";

interface Props<R extends RaRecord> {
  resource: ResourceName;
  title: string;
  subtitle?: ReactNode;
  actions?: ReactNode;
  /** The inputs of the filters. Their values are in the address. */
  filters?: ReactNode;
  sort?: SortPayload;
  /** Shown if there is no record at all. */
  empty: ReactNode;
  /** The columns of the table, as `DataTable.Col`. */
  children: ReactNode;
  /** One record on a narrow screen. */
  card: (record: R) => { title: ReactNode; detail?: ReactNode; aside?: ReactNode };
  /** What can be done with many at once. Without it there are no checkboxes. */
  bulk?: ReactNode;
  /** Shown between the filters and the table, such as totals. */
  summary?: ReactNode;
  rowClick?: false | "edit";
}

/** A list with filters, a table (cards on phones) and pages. Its whole state is in the address. */
export function ListPage<R extends RaRecord>(props: Props<R>) {
  const { resource, title, subtitle, actions, sort } = props;
  return (
    <ListBase
      resource={resource}
      perPage={25}
      // Otherwise the page of one record would begin with an item of the list, which has fewer
      // fields and no entity tag.
      queryOptions={{ meta: { of: "list" } }}
      {...(sort && { sort })}
      disableSyncWithLocation={false}
      storeKey={false}
    >
      <Page title={title} subtitle={subtitle} actions={actions}>
        <Content {...props} />
      </Page>
    </ListBase>
  );
}

function Content<R extends RaRecord>(props: Props<R>) {
  const { resource, filters, empty, children, card, bulk, summary, rowClick } = props;
  const t = useText();
  const tokens = useTokens();
  const isWide = useMediaQuery("(min-width: 700px)");
  const changedBy = useChangedBy(resource);
  const { isPending, error, total, filterValues, setFilters, refetch } = useListContext<R>();
  const isFiltered = Object.keys((filterValues ?? {}) as object).length > 0;

  if (error) {
    return <LoadError error={error} retry={refetch} />;
  }
  if (!isPending && total === 0 && !isFiltered) {
    return <Card>{empty}</Card>;
  }
  return (
    <>
      {(filters !== undefined || isWide) && (
        <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 1, mb: 1.5 }}>
          {filters !== undefined && (
            <FilterLiveForm formComponent={FilterBar}>{filters}</FilterLiveForm>
          )}
          {isFiltered && (
            <Button onClick={() => setFilters({}, {})}>{t("common.clearFilters")}</Button>
          )}
          <Box sx={{ flexGrow: filters === undefined ? 1 : 0 }} />
          {isWide && <ColumnsButton storeKey={`${resource}.columns`} />}
        </Box>
      )}
      {summary}
      <Card sx={{ overflow: "hidden" }}>
        {isPending ? (
          <Rows />
        ) : total === 0 ? (
          <Typography color="textSecondary" sx={{ p: 4, textAlign: "center" }}>
            {t("common.noResults")}
          </Typography>
        ) : isWide ? (
          <DataTable<R>
            rowClick={rowClick ?? "edit"}
            bulkActionButtons={bulk !== undefined}
            bulkActionsToolbar={<></>}
            {...(bulk !== undefined && { body: SelectableBody })}
            storeKey={`${resource}.columns`}
            rowSx={(record: R) => changedRow(changedBy(record.id), tokens, t)}
          >
            {children}
          </DataTable>
        ) : (
          <RowList<R> card={card} selectable={bulk !== undefined} />
        )}
        <Pagination rowsPerPageOptions={[10, 25, 50, 100]} />
      </Card>
      {bulk !== undefined && <BulkBar>{bulk}</BulkBar>}
    </>
  );
}

/** Marks a row that another client changed a moment ago, and names it. The row keeps its height. */
function changedRow(name: string | undefined, tokens: Tokens, t: Translate) {
  if (name === undefined) {
    return {};
  }
  return {
    position: "relative",
    bgcolor: tokens.warnSoft,
    "&::after": {
      content: JSON.stringify(t("common.changedNow", { name })),
      position: "absolute",
      insetInlineEnd: 8,
      bottom: 1,
      fontSize: 11,
      lineHeight: 1.2,
      color: tokens.warn,
    },
  };
}

function FilterBar({ children }: ComponentProps<"form">) {
  return (
    <Box
      role="search"
      sx={{
        display: "flex",
        flexWrap: "wrap",
        gap: 1,
        flexGrow: 1,
        "& .MuiFormControl-root": { m: 0, minWidth: 160 },
        "& .MuiFormHelperText-root": { display: "none" },
      }}
    >
      {children}
    </Box>
  );
}

function Rows() {
  return (
    <Box aria-busy sx={{ p: 2 }}>
      {Array.from({ length: 10 }, (_, row) => (
        <Skeleton key={row} height={40} />
      ))}
    </Box>
  );
}
