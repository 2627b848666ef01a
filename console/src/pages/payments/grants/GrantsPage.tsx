import CardGiftcardOutlined from "@mui/icons-material/CardGiftcardOutlined";
import { Alert, Box, Button, Card, Skeleton } from "@mui/material";
import { api } from "../../../api/client";
import { useRead } from "../../../api/useRead";
import { ChoiceField } from "../../../components/ChoiceField";
import { EmptyState } from "../../../components/EmptyState";
import { LoadError } from "../../../components/Loaded";
import { Page } from "../../../components/Page";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { UserSearch } from "../../operators/UserSearch";
import { useProducts, useServers } from "../choices";
import { GRANT_STATES } from "./grant";
import { GrantView } from "./GrantView";
import { type GrantFilters, useAttention, useGrantFilters, useGrants } from "./useGrants";

/** What was given to whom, newest first. */
export function GrantsPage() {
  const t = useText();
  const [filters, change] = useGrantFilters();
  const { data: waiting = 0 } = useAttention();
  return (
    <Page title={t("common.resources.grants")} subtitle={t("grants.subtitle")}>
      {waiting > 0 && filters.state !== "attention" && (
        <Alert
          severity="warning"
          sx={{ mb: 1.5 }}
          action={
            <Button color="inherit" onClick={() => change({ state: "attention" })}>
              {t("grants.showThem")}
            </Button>
          }
        >
          {t("grants.needAttention", { smart_count: waiting })}
        </Alert>
      )}
      <FilterBar filters={filters} onChange={change} />
      <List filters={filters} />
    </Page>
  );
}

interface FilterProps {
  filters: GrantFilters;
  onChange: (changes: GrantFilters) => void;
}

function FilterBar({ filters, onChange }: FilterProps) {
  const t = useText();
  const products = useProducts();
  const servers = useServers();
  const maySearch = useCan("admin.users.read");
  const number = (value: string) => (value === "" ? undefined : Number(value));
  return (
    <Box
      role="search"
      sx={{
        display: "grid",
        gridTemplateColumns: "repeat(auto-fill, minmax(min(220px, 100%), 1fr))",
        gap: 1,
        mb: 1.5,
      }}
    >
      <ChoiceField
        label={t("common.state")}
        value={filters.state}
        choices={GRANT_STATES.map((state) => [state, t(`grants.states.${state}`)])}
        onChange={(value) => onChange({ state: GRANT_STATES.find((state) => state === value) })}
      />
      <ChoiceField
        label={t("grants.product")}
        value={String(filters.product_id)}
        choices={products.map(({ id, name }) => [String(id), name])}
        onChange={(value) => onChange({ product_id: number(value) })}
      />
      {servers.length > 0 && (
        <ChoiceField
          label={t("grants.server")}
          value={String(filters.server_id)}
          choices={servers.map(({ id, name }) => [String(id), name])}
          onChange={(value) => onChange({ server_id: number(value) })}
        />
      )}
      {maySearch && (
        <UserField
          key={filters.user_id}
          id={filters.user_id}
          onChange={(id) => onChange({ user_id: id })}
        />
      )}
      {Object.keys(filters).length > 0 && (
        <Button
          onClick={() =>
            onChange({
              state: undefined,
              product_id: undefined,
              server_id: undefined,
              user_id: undefined,
            })
          }
        >
          {t("common.clearFilters")}
        </Button>
      )}
    </Box>
  );
}

interface UserProps {
  id: number | undefined;
  onChange: (id: number | undefined) => void;
}

function UserField({ id, onChange }: UserProps) {
  const { data } = useRead(
    ["users", id, "name"],
    () => api.GET("/api/users/{id}", { params: { path: { id: id ?? 0 } } }),
    { enabled: id !== undefined },
  );
  return (
    <UserSearch
      value={data?.user ?? null}
      error={null}
      onChange={(person) => onChange(person?.id)}
    />
  );
}

function List({ filters }: { filters: GrantFilters }) {
  const t = useText();
  const query = useGrants(filters);
  if (query.error !== null && query.data === undefined) {
    return <LoadError error={query.error} retry={query.refetch} />;
  }
  if (query.data === undefined) {
    return (
      <Card aria-busy sx={{ p: 2 }}>
        {Array.from({ length: 6 }, (_, row) => (
          <Skeleton key={row} height={72} />
        ))}
      </Card>
    );
  }
  const grants = query.data.pages.flatMap((page) => page.grants);
  if (grants.length === 0) {
    const isFiltered = Object.keys(filters).length > 0;
    return (
      <Card>
        <EmptyState
          icon={CardGiftcardOutlined}
          title={t("common.resources.grants")}
          text={t(isFiltered ? "common.noResults" : "grants.none")}
        />
      </Card>
    );
  }
  return (
    <>
      <Box sx={{ display: "grid", gap: 1.5 }}>
        {grants.map((grant) => (
          <Card key={grant.id} sx={{ p: { xs: 1.5, sm: 2 } }}>
            <GrantView grant={grant} />
          </Card>
        ))}
      </Box>
      {query.hasNextPage && (
        <Box sx={{ p: 1.5, textAlign: "center" }}>
          <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t("common.showMore")}
          </Button>
        </Box>
      )}
    </>
  );
}
