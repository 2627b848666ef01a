import { Box } from "@mui/material";
import { useGetManyAggregate } from "react-admin";
import type { Schemas } from "../../api/client";
import { RouteLink } from "../../components/links";
import { RecordLink } from "../../components/list/ListPage";
import { Code, Moment, Muted, State } from "../../components/text";
import { useFormat, useText } from "../../i18n";
import { useCan } from "../../session/session";
import { useServerName } from "../payments/choices";
import {
  type Ban,
  type BanKind,
  type BanState,
  KIND_ICONS,
  nameOf,
  secondsOf,
  STATE_TONES,
} from "./ban";
import { type KnownUser, useKnownUser } from "./known";

/** The user of a ban: the one that it names, or else the one with its SteamID. */
export function useUserOf(ban: Ban): KnownUser | null {
  const mayRead = useCan("admin.users.read");
  const { user_id: userId } = ban;
  const known = useKnownUser(ban);
  const { data } = useGetManyAggregate<Schemas["UserItem"]>(
    "users",
    { ids: userId === null ? [] : [userId] },
    { enabled: mayRead && userId !== null },
  );
  const username = data?.[0]?.username;
  return userId === null || username === undefined ? known : { id: userId, username };
}

/** Who is banned: the name in the game, or else the user, the SteamID or the address. */
export function useSubjectName(ban: Ban): string {
  const t = useText();
  const user = useUserOf(ban);
  const { player_name: name, steam_id64: steam, user_id: userId } = ban;
  if (name !== "" || (user === null && userId === null)) {
    return nameOf(ban) ?? t("audit.actors.erased");
  }
  return user?.username ?? steam ?? t("payments.userOf", { id: userId ?? 0 });
}

/** The user of a ban as a text, where the ban is shown under another name. */
export function OfUser({ ban }: { ban: Ban }) {
  const t = useText();
  const user = useUserOf(ban);
  const name = useSubjectName(ban);
  return user === null || user.username === name ? null : (
    <>
      {t("common.user")}: {user.username} ·{" "}
    </>
  );
}

export function SubjectName({ ban }: { ban: Ban }) {
  return <>{useSubjectName(ban)}</>;
}

/** Who is banned, and below it by what the game knows them. */
export function PlayerCell({ ban }: { ban: Ban }) {
  const name = useSubjectName(ban);
  const t = useText();
  const user = useUserOf(ban);
  const id = ban.steam_id64 ?? ban.ip_range;
  return (
    // A SteamID fits into one line.
    <Box sx={{ minWidth: 170 }}>
      <RecordLink to={`/bans/${ban.id}`}>{name}</RecordLink>
      {id !== null && id !== name && (
        <Muted>
          <Code>{id}</Code>
        </Muted>
      )}
      {user !== null && (
        <Muted>
          {t("common.user")}:{" "}
          <RouteLink to={`/users/${user.id}`} onClick={(event) => event.stopPropagation()}>
            {user.username}
          </RouteLink>
        </Muted>
      )}
    </Box>
  );
}

/** A kind as a word with a sign. */
export function BanKindLabel({ kind }: { kind: BanKind }) {
  const t = useText();
  const Icon = KIND_ICONS[kind];
  return (
    <Box component="span" sx={{ whiteSpace: "nowrap" }}>
      <Icon
        aria-hidden
        sx={{ fontSize: 16, color: "text.secondary", verticalAlign: "text-bottom", mr: 0.75 }}
      />
      {t(`bans.kinds.${kind}`)}
    </Box>
  );
}

export function BanStateChip({ state }: { state: BanState }) {
  const t = useText();
  return <State tone={STATE_TONES[state]} text={t(`bans.states.${state}`)} />;
}

/** How long a ban is meant to last, in words. */
export function useLengthText(): (ban: Ban) => string {
  const t = useText();
  const format = useFormat();
  return (ban) => {
    const seconds = secondsOf(ban);
    return seconds === null ? t("users.term.forever") : format.left(seconds);
  };
}

/** When a ban ends, and how long that is after its beginning. */
export function TermCell({ ban }: { ban: Ban }) {
  const length = useLengthText();
  return ban.expires_at === null ? (
    <>{length(ban)}</>
  ) : (
    <Box>
      <Moment at={ban.expires_at} />
      <Muted>{length(ban)}</Muted>
    </Box>
  );
}

const SHOWN = 2;

/** The servers that a ban holds on. */
export function useScopeText(): (serverIds: readonly number[]) => string {
  const t = useText();
  const format = useFormat();
  const name = useServerName();
  return (ids) => {
    if (ids.length === 0) {
      return t("bans.allServers");
    }
    const more = ids.length - SHOWN;
    const shown = ids.slice(0, more > 1 ? SHOWN : undefined).map(name);
    return more > 1 ? `${shown.join(", ")} +${format.number(more)}` : shown.join(", ");
  };
}
