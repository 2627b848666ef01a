import { Box, Button } from "@mui/material";
import { ChoiceField } from "../../components/ChoiceField";
import { ExportButton } from "../../components/ExportButton";
import { Page } from "../../components/Page";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { useServers } from "../payments/choices";
import { KINDS, STATES } from "./ban";
import { BanResults } from "./BanResults";
import { BanSearch } from "./BanSearch";
import { IssuerField } from "./IssuerField";
import { NewBan } from "./NewBan";
import { type BanFilters, isFiltered, parametersOf, useBanFilters } from "./useBans";
import { useSearched } from "./useSearched";

/** Who is banned in the games, newest first. */
export function BanList() {
  const t = useText();
  const mayWrite = useCan("admin.bans");
  const [filters, change] = useBanFilters();
  const searched = useSearched(filters);
  return (
    <Page
      title={t("common.resources.bans")}
      subtitle={t("bans.subtitle")}
      actions={
        <>
          {searched.state === "ready" && (
            <ExportButton
              path="/api/bans/export"
              query={parametersOf(searched.filters)}
              name="bans"
            />
          )}
          {mayWrite && <NewBan filters={filters} searched={searched} />}
        </>
      }
    >
      <FilterBar filters={filters} onChange={change} />
      <BanResults filters={filters} searched={searched} onChange={change} />
    </Page>
  );
}

interface FilterProps {
  filters: BanFilters;
  onChange: (changes: BanFilters) => void;
}

function FilterBar({ filters, onChange }: FilterProps) {
  const t = useText();
  const servers = useServers();
  return (
    <Box
      role="search"
      sx={{
        display: "grid",
        gridTemplateColumns: {
          xs: "minmax(0, 1fr)",
          sm: "repeat(auto-fill, minmax(min(180px, 100%), 1fr))",
        },
        gap: 1,
        mb: 1.5,
      }}
    >
      <Box sx={{ gridColumn: { sm: "span 2" } }}>
        <BanSearch key={filters.user_id} filters={filters} onChange={onChange} />
      </Box>
      <ChoiceField
        label={t("bans.kind")}
        value={filters.kind}
        choices={KINDS.map((kind) => [kind, t(`bans.kinds.${kind}`)])}
        onChange={(value) => onChange({ kind: KINDS.find((kind) => kind === value) })}
      />
      <ChoiceField
        label={t("common.state")}
        value={filters.state}
        choices={STATES.map((state) => [state, t(`bans.states.${state}`)])}
        onChange={(value) => onChange({ state: STATES.find((state) => state === value) })}
      />
      {servers.length > 0 && (
        <ChoiceField
          label={t("grants.server")}
          value={String(filters.server_id)}
          choices={servers.map(({ id, name }) => [String(id), name])}
          onChange={(value) => onChange({ server_id: value === "" ? undefined : Number(value) })}
        />
      )}
      <IssuerField
        value={filters.issued_by}
        onChange={(issuer) => onChange({ issued_by: issuer })}
      />
      {isFiltered(filters) && (
        <Button
          onClick={() =>
            onChange({
              q: undefined,
              user_id: undefined,
              kind: undefined,
              state: undefined,
              server_id: undefined,
              issued_by: undefined,
            })
          }
        >
          {t("common.clearFilters")}
        </Button>
      )}
    </Box>
  );
}
