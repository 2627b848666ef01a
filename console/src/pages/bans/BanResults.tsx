import {
  Box,
  Button,
  Card,
  List as MuiList,
  ListItem,
  ListItemButton,
  ListItemText,
} from "@mui/material";
import { EmptyState } from "../../components/EmptyState";
import { RouteLink } from "../../components/links";
import { Rows } from "../../components/list/ListPage";
import { LoadError } from "../../components/Loaded";
import { Muted } from "../../components/text";
import { useAct } from "../../components/useAct";
import { useFormat, useText } from "../../i18n";
import { ICONS } from "../../layout/menu";
import { useCan } from "../../session/session";
import type { Person } from "../operators/UserSearch";
import { BanTable } from "./BanTable";
import { NewBan } from "./NewBan";
import { type BanFilters, isFiltered, useBans } from "./useBans";
import { filtersOf, type Searched } from "./useSearched";

interface Props {
  filters: BanFilters;
  searched: Searched;
  onChange: (changes: BanFilters) => void;
}

/** The bans of whom was searched for, or what to search for instead. */
export function BanResults({ filters, searched, onChange }: Props) {
  const t = useText();
  switch (searched.state) {
    case "ready":
      return (
        <>
          {searched.person !== null && (
            <RouteLink to={`/users/${searched.person.id}`} variant="body2">
              {t("bans.ofPlayer", { name: searched.person.username })}
            </RouteLink>
          )}
          <List filters={searched.filters} searched={searched} />
        </>
      );
    case "loading":
      return <Waiting />;
    case "failed":
      return <LoadError error={searched.error} retry={searched.retry} />;
    case "several":
      return <People people={searched.people} onChange={onChange} />;
    case "nobody":
      return (
        <Card>
          <EmptyState
            icon={ICONS.bans}
            title={t("bans.unknown.title", { text: filters.q ?? "" })}
            text={t(`bans.unknown.${searched.why}`)}
          />
        </Card>
      );
  }
}

/** Users with the name that was searched for, to choose from. */
function People({ people, onChange }: { people: Person[] } & Pick<Props, "onChange">) {
  const t = useText();
  const [isBusy, act] = useAct();
  return (
    <Card>
      <Muted sx={{ p: 2, pb: 0.5 }} role="status">
        {t("bans.several")}
      </Muted>
      <MuiList aria-label={t("bans.several")}>
        {people.map((person) => (
          <ListItem key={person.id} disablePadding>
            <ListItemButton
              disabled={isBusy}
              onClick={() => act(async () => onChange(await filtersOf(person.id)))}
            >
              <ListItemText
                primary={person.username}
                secondary={person.email}
                sx={{ overflowWrap: "anywhere" }}
              />
            </ListItemButton>
          </ListItem>
        ))}
      </MuiList>
    </Card>
  );
}

function Waiting() {
  return (
    <Card>
      <Rows />
    </Card>
  );
}

type ListProps = Pick<Props, "filters" | "searched">;

function List({ filters, searched }: ListProps) {
  const t = useText();
  const format = useFormat();
  const query = useBans(filters);
  if (query.error !== null && query.data === undefined) {
    return <LoadError error={query.error} retry={query.refetch} />;
  }
  if (query.data === undefined) {
    return <Waiting />;
  }
  const bans = query.data.pages.flatMap((page) => page.bans);
  if (bans.length === 0) {
    return <Nothing filters={filters} searched={searched} />;
  }
  const { total = 0, isTotalExact = true } = query.data.pages[0] ?? {};
  return (
    <>
      <Muted sx={{ mb: 1 }} role="status">
        {isTotalExact
          ? t("bans.total", { smart_count: total })
          : t("bans.totalAtLeast", { number: format.number(total) })}
      </Muted>
      <Card sx={{ overflow: "hidden" }}>
        <Box sx={{ overflowX: "auto" }}>
          <BanTable bans={bans} />
        </Box>
        {query.hasNextPage && (
          <Box sx={{ p: 1.5, textAlign: "center" }}>
            <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              {t("common.showMore")}
            </Button>
          </Box>
        )}
      </Card>
    </>
  );
}

/** Says why the list is empty, and what to do. */
function Nothing({ filters, searched }: ListProps) {
  const t = useText();
  const mayWrite = useCan("admin.bans");
  const isPlayer = filters.q !== undefined || filters.user_id !== undefined;
  return (
    <Card>
      <EmptyState
        icon={ICONS.bans}
        title={t(isPlayer ? "bans.noneOfPlayer" : "lists.empty.bans")}
        text={t(
          isPlayer
            ? "bans.noneOfPlayerHint"
            : isFiltered(filters)
              ? "common.noResults"
              : "lists.why.bans",
        )}
        action={mayWrite && <NewBan filters={filters} searched={searched} />}
      />
    </Card>
  );
}
