import { RouteLink } from "../../components/links";
import { State } from "../../components/text";
import { useText } from "../../i18n";
import { useActiveBans, useSteamOf } from "./player";

/** Says that a user cannot join the game servers, and leads to the ban. */
export function BannedChip({ userId }: { userId: number }) {
  const t = useText();
  const steam = useSteamOf(userId);
  const bans = useActiveBans({ user_id: userId, steam_id64: steam ?? null });
  const ban = bans.find(({ kind }) => kind === "ban");
  return ban === undefined ? null : (
    <RouteLink to={`/bans/${ban.id}`} underline="none">
      <State tone="bad" text={t("bans.bannedFromServers")} />
    </RouteLink>
  );
}
