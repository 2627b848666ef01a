import { Box, Button, Link, Skeleton, Stack, Typography } from "@mui/material";
import { ChoiceField } from "../../components/ChoiceField";
import { LoadError } from "../../components/Loaded";
import { Panel } from "../../components/Page";
import { Muted, State, type Tone, When } from "../../components/text";
import { useAddress } from "../../components/useAddress";
import { useFormat, useText } from "../../i18n";
import { UserName } from "../payments/grants/GrantView";
import { type Member, MEMBER_STATES, type MemberState, useMembers } from "./connection";
import { failureOf } from "./findings";

const TONES: Record<MemberState, Tone> = {
  failed: "bad",
  not_a_member: "warn",
  pending: "accent",
  ok: "good",
};

export function MemberStateChip({ state }: { state: MemberState }) {
  const t = useText();
  return <State tone={TONES[state]} text={t(`discord.members.states.${state}`)} />;
}

/** Who belongs to users, by state. The state is in the address, so that a link shows the same. */
export function MembersPanel() {
  const t = useText();
  const [search, change] = useAddress({ replace: true });
  const state = MEMBER_STATES.find((one) => one === search.get("state"));
  return (
    <Panel
      title={t("discord.members.title")}
      hint={t("discord.members.hint")}
      actions={
        <Box sx={{ display: "grid", minWidth: 180 }}>
          <ChoiceField
            label={t("common.state")}
            value={state}
            choices={MEMBER_STATES.map((one) => [one, t(`discord.members.states.${one}`)])}
            onChange={(value) => change({ state: value })}
          />
        </Box>
      }
      flush
    >
      <List state={state} />
    </Panel>
  );
}

function List({ state }: { state: MemberState | undefined }) {
  const t = useText();
  const format = useFormat();
  const query = useMembers(state);
  if (query.error !== null && query.data === undefined) {
    return (
      <Box sx={{ px: 2.5, pb: 2.5 }}>
        <LoadError error={query.error} retry={query.refetch} />
      </Box>
    );
  }
  if (query.data === undefined) {
    return <Skeleton variant="rounded" height={240} aria-busy sx={{ mx: 2.5, mb: 2.5 }} />;
  }
  const members = query.data.pages.flatMap((page) => page.members);
  const { total = 0, isTotalExact = true } = query.data.pages[0] ?? {};
  if (members.length === 0) {
    return (
      <Muted role="status" sx={{ px: 2.5, pb: 2.5 }}>
        {t(state === undefined ? "discord.members.none" : "common.noResults")}
      </Muted>
    );
  }
  return (
    <>
      <Muted role="status" sx={{ px: 2.5, pb: 1 }}>
        {isTotalExact
          ? t("discord.members.total", { smart_count: total })
          : t("discord.members.totalAtLeast", { number: format.number(total) })}
      </Muted>
      <Box
        component="ul"
        aria-label={t("discord.members.title")}
        sx={{ m: 0, p: 0, listStyle: "none" }}
      >
        {members.map((member) => (
          <MemberRow key={member.discord_id} member={member} />
        ))}
      </Box>
      {query.hasNextPage && (
        <Box sx={{ p: 1.5, textAlign: "center", borderTop: 1, borderColor: "divider" }}>
          <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            {t("common.showMore")}
          </Button>
        </Box>
      )}
    </>
  );
}

function MemberRow({
  member: { discord_id, user_id, state, error, synced_at },
}: {
  member: Member;
}) {
  const t = useText();
  return (
    <Box
      component="li"
      sx={{
        display: "flex",
        alignItems: "flex-start",
        gap: 1.5,
        px: 2.5,
        py: 1.25,
        borderTop: 1,
        borderColor: "divider",
      }}
    >
      <Stack sx={{ flexGrow: 1, minWidth: 0 }}>
        <Person userId={user_id} discordId={discord_id} />
        <Typography variant="caption" color="textSecondary" sx={{ overflowWrap: "anywhere" }}>
          {t("discord.members.synced")}: <When at={synced_at} />
        </Typography>
        {error !== null && (
          <Typography variant="body2" color="error" sx={{ overflowWrap: "anywhere" }}>
            <Failure error={error} />
          </Typography>
        )}
      </Stack>
      <MemberStateChip state={state} />
    </Box>
  );
}

/** Why a visit failed, in the reader's language where the sentence is known. */
export function Failure({ error }: { error: string }) {
  const t = useText();
  const known = failureOf(error);
  return known === null ? error : t(known.text, known.values);
}

interface PersonProps {
  userId: number | null;
  discordId: string;
}

/** Whom a profile belongs to, and the profile itself. */
export function Person({ userId, discordId }: PersonProps) {
  const t = useText();
  return (
    <Typography variant="body2" component="div" sx={{ overflowWrap: "anywhere" }}>
      <Box component="span" sx={{ fontWeight: 600, mr: 1 }}>
        {userId === null ? t("discord.members.nobody") : <UserName id={userId} />}
      </Box>
      <Link
        href={`https://discord.com/users/${discordId}`}
        target="_blank"
        rel="noopener noreferrer"
        variant="caption"
        color="textSecondary"
        sx={{ display: "inline-block" }}
        aria-label={`${t("discord.members.profile")} ${discordId}`}
      >
        {discordId}
      </Link>
    </Typography>
  );
}
