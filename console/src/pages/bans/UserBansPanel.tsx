import { RouteButton } from "../../components/links";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { BansPanel } from "./BansPanel";
import { useSteamOf } from "./player";
import { createPath } from "./start";

/** The bans of a user in games: those that name the user, and those of the linked SteamID. */
export function UserBansPanel({
  user: { id, username },
}: {
  user: { id: number; username: string };
}) {
  const t = useText();
  const mayWrite = useCan("admin.bans");
  const steam = useSteamOf(id);
  return (
    <BansPanel
      title={t("bans.ofUser")}
      empty={t("bans.noneOfUser")}
      player={{ user_id: id, steam_id64: steam ?? null }}
      actions={
        mayWrite && (
          <RouteButton to={createPath({ user_id: id, player_name: username })}>
            {t("bans.banUser")}
          </RouteButton>
        )
      }
    />
  );
}
