import { RouteButton } from "../../components/links";
import { useText } from "../../i18n";
import { ICONS } from "../../layout/menu";
import { createPath } from "./start";
import type { BanFilters } from "./useBans";
import type { Searched } from "./useSearched";

interface Props {
  filters: BanFilters;
  searched: Searched;
}

/** The button to the form, which begins with the player that was searched for. */
export function NewBan({ filters, searched }: Props) {
  const t = useText();
  const Icon = ICONS.bans;
  const start =
    searched.state === "ready"
      ? { ...searched.filters, player_name: searched.person?.username }
      : { ...filters, q: undefined, player_name: filters.q };
  return (
    <RouteButton variant="contained" startIcon={<Icon />} to={createPath(start)}>
      {t("lists.create.bans")}
    </RouteButton>
  );
}
