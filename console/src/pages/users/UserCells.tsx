import { Box, Link, Stack } from "@mui/material";
import { useState } from "react";
import { steamId } from "../../api/profiles";
import { RoleChip } from "../../components/RoleChip";
import { State, When } from "../../components/text";
import type { Role } from "../../components/useRoles";
import { useFormat, useText } from "../../i18n";
import { profileAddress } from "./profileAddress";
import type { UserItem } from "./user";

/** An address in one line. A long one is cut off, and is shown whole on hover. */
export function EmailCell({ email }: { email: string }) {
  return (
    <Box
      title={email}
      sx={{ maxWidth: 160, overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}
    >
      {email}
    </Box>
  );
}

const SHOWN = 3;

function expires({ expires_at: end }: Role): boolean {
  return typeof end === "string";
}

export function RolesCell({ roles }: { roles: readonly Role[] }) {
  const more = roles.length - SHOWN;
  return (
    <Stack
      direction="row"
      // Wide enough in a table for a role with its term in one line.
      sx={{ gap: 0.5, flexWrap: "wrap", minWidth: { md: roles.some(expires) ? 152 : 0 } }}
    >
      {roles.slice(0, SHOWN).map((role) => (
        <RoleChip key={role.id} role={role} short />
      ))}
      {more > 0 && <Box title={roles.map(({ name }) => name).join(", ")}>+{more}</Box>}
    </Stack>
  );
}

const VANITY = "https://steamcommunity.com/id/{handle}";

/** The SteamID64 of a user, as game servers and other sites know them. */
export function SteamCell({ user }: { user: UserItem }) {
  const profile = user.social_networks?.find(({ network }) => network === "steam")?.profile_url;
  const address = profile === undefined ? null : profileAddress("steam", profile, VANITY);
  if (profile === undefined || address === null) {
    return null;
  }
  return (
    <Link
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      // The row opens the user.
      onClick={(event) => event.stopPropagation()}
    >
      {steamId(profile) ?? profile}
    </Link>
  );
}

const SOON_MS = 86_400_000;

/** When a block expires. One that does so within a day stands out. */
export function BlockEnd({ until }: { until: string | null }) {
  const t = useText();
  const format = useFormat();
  const [now] = useState(Date.now);
  if (until === null) {
    return <State tone="bad" text={t("users.blocked.forever")} />;
  }
  const isSoon = Date.parse(until) - now < SOON_MS;
  return isSoon ? <State tone="warn" text={format.relative(until)} /> : <When at={until} />;
}
