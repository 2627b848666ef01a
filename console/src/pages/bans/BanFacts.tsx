import { Box, Link } from "@mui/material";
import type { ReactNode } from "react";
import { Facts } from "../../components/Facts";
import { Panel } from "../../components/Page";
import { Code, Moment } from "../../components/text";
import { useText } from "../../i18n";
import { UserName } from "../payments/grants/GrantView";
import { useServerName } from "../payments/choices";
import { BlockAuthor } from "../users/Blocks";
import { profileAddress } from "../users/profileAddress";
import type { BanRecord } from "./ban";
import { BanKindLabel, useLengthText } from "./BanCells";
import { useKnownUser } from "./known";

type Fact = { label: string; value: ReactNode };

/** Everything that is known about a ban. */
export function FactsPanel({ ban }: { ban: BanRecord }) {
  const t = useText();
  const length = useLengthText();
  const serverName = useServerName();
  const { player_name, steam_id64: steam, ip_range: range } = ban;
  // A SteamID may belong to a user whom the ban does not name.
  const linked = useKnownUser(ban);
  const userId = ban.user_id ?? linked?.id ?? null;
  const { lifted_by: lifter, lifted_at: liftedAt, source } = ban;
  /** A fact that is there only if its value is. */
  const fact = (label: string, value: ReactNode): Fact[] =>
    value === null || value === "" ? [] : [{ label, value }];
  const facts = [
    ...fact(t("bans.form.name"), player_name),
    ...fact(t("bans.form.ways.steam"), steam && <SteamLink steam={steam} />),
    ...fact(t("bans.form.ways.ip"), range && <Code>{range}</Code>),
    ...fact(t("common.user"), userId && <UserName id={userId} />),
    ...fact(t("bans.kind"), <BanKindLabel kind={ban.kind} />),
    ...fact(t("common.reason"), ban.reason),
    ...fact(t("bans.length"), length(ban)),
    ...fact(t("bans.issuedAt"), <Moment at={ban.created_at} />),
    ...fact(t("bans.until"), ban.expires_at && <Moment at={ban.expires_at} />),
    ...fact(
      t("common.resources.servers"),
      ban.server_ids.length === 0
        ? t("bans.allServers")
        : ban.server_ids.map(serverName).join(", "),
    ),
    ...fact(t("bans.issuedBy"), <BlockAuthor by={ban.issued_by} />),
    ...fact(t("bans.liftedAt"), liftedAt && <Moment at={liftedAt} />),
    ...fact(t("bans.liftedBy"), lifter && <BlockAuthor by={lifter} />),
    ...fact(t("bans.liftReason"), ban.lift_reason),
    ...fact(t("bans.source"), source && `${source.system}, ${source.id}`),
    ...fact(t("bans.form.note"), ban.note && <Note text={ban.note} />),
    ...fact(
      t("bans.form.evidence"),
      ban.evidence.length > 0 ? <Evidence urls={ban.evidence} /> : null,
    ),
  ];
  return (
    <Panel title={t("bans.facts")}>
      <Facts facts={facts} />
    </Panel>
  );
}

function SteamLink({ steam }: { steam: string }) {
  return (
    <Link href={profileAddress("steam", steam, "") ?? ""} target="_blank" rel="noopener noreferrer">
      <Code>{steam}</Code>
    </Link>
  );
}

/** Several lines stay several lines. */
function Note({ text }: { text: string }) {
  return <Box sx={{ whiteSpace: "pre-wrap" }}>{text}</Box>;
}

/** Whole addresses, so that they can be read on paper, too. */
function Evidence({ urls }: { urls: string[] }) {
  return (
    <Box component="ul" sx={{ m: 0, p: 0, listStyle: "none" }}>
      {urls.map((url) => (
        <li key={url}>
          <Link href={url} target="_blank" rel="noopener noreferrer">
            {url}
          </Link>
        </li>
      ))}
    </Box>
  );
}
