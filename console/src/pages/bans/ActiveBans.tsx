import { Alert, Box } from "@mui/material";
import { useWatch } from "react-hook-form";
import { steamId } from "../../api/profiles";
import { RouteLink } from "../../components/links";
import { useDelayed } from "../../components/useDelayed";
import { useFormat, useText } from "../../i18n";
import type { Ban } from "./ban";
import { type Player, useActiveBans, useSteamOf } from "./player";
import { queryOf } from "./subject";

const DELAY_MS = 300;

/** Warns that the player whom the form names is banned already. */
export function ActiveBans() {
  const t = useText();
  const bans = useActiveBans(useNamed());
  if (bans.length === 0) {
    return null;
  }
  return (
    <Alert severity="warning" role="status">
      {t("bans.form.already", { smart_count: bans.length })}
      <Box component="ul" sx={{ m: 0, pl: 2.5 }}>
        {bans.map((ban) => (
          <li key={ban.id}>
            <BanLink ban={ban} />
          </li>
        ))}
      </Box>
    </Alert>
  );
}

/** One ban in a line, which leads to it. */
function BanLink({ ban: { id, kind, reason, expires_at: end } }: { ban: Ban }) {
  const t = useText();
  const format = useFormat();
  const until =
    end === null ? t("users.term.endsNever") : t("users.term.ends", { at: format.moment(end) });
  return (
    <RouteLink to={`/bans/${id}`} color="inherit" underline="always">
      {t(`bans.kinds.${kind}`)}: {reason} · {until}
    </RouteLink>
  );
}

/** The player whom the form names, once they can be looked for. */
function useNamed(): Player {
  const values = useWatch({ name: ["way", "steam_id64", "ip_range", "user_id"] }) as unknown[];
  const [way, steam, range, user] = values;
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  const typed = useDelayed(text(steam), DELAY_MS);
  const address = useDelayed(text(range), DELAY_MS).trim();
  const query = queryOf(address);
  const ip_range = query !== null && "ip" in query ? address : null;
  const userId = way === "user" && typeof user === "number" ? user : null;
  const linked = useSteamOf(userId);
  return way === "user"
    ? { user_id: userId, steam_id64: linked ?? null, ip_range }
    : { steam_id64: steamId(typed), ip_range };
}
