import { Box, Typography } from "@mui/material";
import type { ReactNode } from "react";
import { RouteLink } from "../../components/links";
import { When } from "../../components/text";
import { useFormat, useText } from "../../i18n";
import { BlockAuthor } from "../users/Blocks";
import { Entries } from "../users/Entries";
import type { Ban } from "./ban";
import { BanKindLabel, BanStateChip } from "./BanCells";
import { type Player, readBansOf } from "./player";

interface Props {
  title: string;
  /** What is said if there is none. */
  empty: string;
  actions?: ReactNode;
  player: Player;
  /** The ban that is shown already. */
  except?: number;
}

/** The bans of a player, newest first. */
export function BansPanel({ title, empty, actions, player, except }: Props) {
  const { steam_id64 = null, ip_range = null, user_id = null } = player;
  const known = { steam_id64, ip_range, user_id };
  return (
    <Entries
      title={title}
      actions={actions}
      queryKey={["bans", "of", known, except]}
      read={async (count) =>
        (await readBansOf(known, { count: Math.min(count + 1, 100) }))
          .filter(({ id }) => id !== except)
          .slice(0, count)
      }
      empty={empty}
      entry={(ban) => <BanEntry ban={ban} />}
    />
  );
}

function BanEntry({ ban }: { ban: Ban }) {
  const t = useText();
  const format = useFormat();
  const { id, kind, reason, state, created_at, expires_at, issued_by, lifted_at } = ban;
  return (
    <Box>
      <Box sx={{ display: "flex", gap: 1, alignItems: "center", justifyContent: "space-between" }}>
        <RouteLink
          to={`/bans/${id}`}
          variant="body2"
          color="textPrimary"
          sx={{ fontWeight: 550, overflowWrap: "anywhere" }}
        >
          <BanKindLabel kind={kind} />: {reason}
        </RouteLink>
        <BanStateChip state={state} />
      </Box>
      <Typography variant="caption" color="textSecondary" component="div">
        <When at={created_at} /> · <BlockAuthor by={issued_by} /> ·{" "}
        {expires_at === null
          ? t("users.term.endsNever")
          : t("users.term.ends", { at: format.moment(expires_at) })}
        {lifted_at !== null && (
          <>
            {" "}
            {t("bans.liftedAt")} <When at={lifted_at} />
          </>
        )}
      </Typography>
    </Box>
  );
}
