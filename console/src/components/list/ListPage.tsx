import type { SvgIconComponent } from "@mui/icons-material";
import Add from "@mui/icons-material/Add";
import { Box, Button, Card, Skeleton, Typography, useMediaQuery } from "@mui/material";
import type { ComponentProps, ReactNode } from "react";
import {
  ColumnsButton,
  DataTable,
  type DataTableColumnProps,
  FilterLiveForm,
  ListBase,
  Pagination,
  type RaRecord,
  type SortPayload,
  useListContext,
  useNotify,
} from "react-admin";
import { RESOURCES } from "../../api/resources";
import { type Translate, useText } from "../../i18n";
import { isNetworkError, useErrorText } from "../../i18n/describe";
import { ICONS } from "../../layout/menu";
import { useChangedBy } from "../../live/LiveUpdates";
import { useCan } from "../../session/session";
import { useTokens } from "../../theme/theme";
import type { Tokens } from "../../theme/tokens";
import { EmptyState } from "../EmptyState";
import { RouteButton, RouteLink } from "../links";
import { LoadError } from "../Loaded";
import { Page } from "../Page";
import { RowList } from "./RowList";
import { BulkBar, SelectableBody } from "./Selection";
import type { lists } from "./texts";

interface Props<R extends RaRecord> {
  /** Names the icon, the title and the texts, too. Those who may write see a button for a new record. */
  resource: keyof typeof lists.en.create;
  /** Names a list that shows only some of the records, and has columns of its own. */
  view?: string;
  /** The title of such a list. */
  title?: string;
  /** Which records it shows. */
  filter?: Record<string, unknown>;
  /** What is said if there are none. */
  empty?: { title: string; text: string };
  subtitle?: ReactNode;
  actions?: ReactNode;
  createIcon?: SvgIconComponent;
  /** The inputs of the filters. Their values are in the address. */
  filters?: ReactNode;
  sort?: SortPayload;
  /** The columns of the table, as `UnsortedColumn` or `DataTable.Col`. */
  children: ReactNode;
  /** The columns that are shown only on request. */
  hiddenColumns?: string[];
  /** One record on a narrow screen. */
  card: (record: R) => { title: ReactNode; detail?: ReactNode; aside?: ReactNode };
  /** What can be done with many at once. Without it there are no checkboxes. */
  bulk?: ReactNode;
  /** Shown between the filters and the table, such as totals. */
  summary?: ReactNode;
}

/** A list with filters, a table (cards on phones) and pages. Its whole state is in the address. */
export function ListPage<R extends RaRecord>(props: Props<R>) {
  const { resource, subtitle, actions, createIcon: CreateIcon = Add, sort } = props;
  const t = useText();
  const { title, write } = RESOURCES[resource];
  const mayWrite = useCan(write);
  const notify = useNotify();
  const errorText = useErrorText();
  const onError = (error: unknown) => {
    // A banner says already that the service does not answer.
    if (!isNetworkError(error)) {
      notify(errorText(error), { type: "error" });
    }
  };
  const createButton = mayWrite && props.view === undefined && (
    <RouteButton variant="contained" startIcon={<CreateIcon />} to={`/${resource}/create`}>
      {t(`lists.create.${resource}`)}
    </RouteButton>
  );
  return (
    <ListBase
      resource={resource}
      perPage={25}
      // Otherwise the page of one record would begin with an item of the list, which has fewer
      // fields and no entity tag.
      queryOptions={{ meta: { of: "list" }, onError }}
      {...(sort && { sort })}
      {...(props.filter && { filter: props.filter })}
      disableSyncWithLocation={false}
      storeKey={false}
    >
      <Page
        title={props.title ?? t(title)}
        subtitle={subtitle}
        actions={
          <>
            {actions}
            {createButton}
          </>
        }
      >
        <Content {...props} createButton={createButton} />
      </Page>
    </ListBase>
  );
}

function Content<R extends RaRecord>(props: Props<R> & { createButton: ReactNode }) {
  const { resource, view, filters, children, card, bulk, summary } = props;
  const storeKey = `${view === undefined ? resource : `${resource}.${view}`}.columns`;
  const t = useText();
  const tokens = useTokens();
  const isWide = useMediaQuery("(min-width: 700px)");
  const changedBy = useChangedBy(resource);
  const { isPending, error, data, total, filterValues, setFilters, refetch, ...list } =
    useListContext<R>();
  const isFiltered = Object.keys((filterValues ?? {}) as object).length > 0;

  if (error) {
    return <LoadError error={error} retry={refetch} />;
  }
  if (!isPending && total === 0 && !isFiltered) {
    return (
      <Card>
        <EmptyState
          icon={ICONS[resource]}
          title={props.empty?.title ?? t(`lists.empty.${resource}`)}
          text={props.empty?.text ?? t(`lists.why.${resource}`)}
          action={props.createButton}
        />
      </Card>
    );
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
          {isWide && <ColumnsButton storeKey={storeKey} />}
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
            rowClick="edit"
            bulkActionButtons={bulk !== undefined}
            bulkActionsToolbar={<></>}
            {...(bulk !== undefined && { body: SelectableBody })}
            storeKey={storeKey}
            {...(props.hiddenColumns && { hiddenColumns: props.hiddenColumns })}
            rowSx={(record: R) => changedRow(changedBy(record.id), tokens, t)}
          >
            {children}
          </DataTable>
        ) : (
          <RowList<R>
            resource={resource}
            records={data ?? []}
            card={card}
            selection={
              bulk === undefined
                ? undefined
                : { ids: list.selectedIds, onToggle: list.onToggleItem }
            }
          />
        )}
        <Pagination rowsPerPageOptions={[10, 25, 50, 100]} />
      </Card>
      {bulk !== undefined && <BulkBar>{bulk}</BulkBar>}
    </>
  );
}

/** A column that the service cannot sort the list by. */
export function UnsortedColumn<R extends RaRecord>(props: DataTableColumnProps<R>) {
  return <DataTable.Col<R> disableSort {...props} />;
}

/** Marks a row that another client changed a moment ago, and names it. The row keeps its height. */
export function changedRow(name: string | undefined, tokens: Tokens, t: Translate) {
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

/** The shape of a list while it loads. */
export function Rows() {
  return (
    <Box aria-busy sx={{ p: 2 }}>
      {Array.from({ length: 10 }, (_, row) => (
        <Skeleton key={row} height={40} />
      ))}
    </Box>
  );
}

/** The name of a record in a table. Rows only take clicks; a link can also be reached by keyboard. */
export function RecordLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <RouteLink
      to={to}
      color="textPrimary"
      onClick={(event) => event.stopPropagation()}
      // Wide enough for most names, so that others in the row do not squeeze it letter by letter.
      sx={{ display: "inline-block", minWidth: "14ch", fontWeight: 600, overflowWrap: "anywhere" }}
    >
      {children}
    </RouteLink>
  );
}
