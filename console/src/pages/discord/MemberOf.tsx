import { Box, Tooltip } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { RouteLink } from "../../components/links";
import { useText } from "../../i18n";
import { useCan } from "../../session/session";
import { readMember } from "./connection";
import { Failure, MemberStateChip } from "./MembersPanel";

interface Props {
  userId: number;
  /** The profile, which is only known to be at Discord. It may be a name or an address. */
  profile: string;
}

/** Whether the Discord profile of a user has the roles that it should have. */
export function MemberOf({ userId, profile }: Props) {
  const t = useText();
  const mayRead = useCan("admin.discord.read");
  const { data } = useQuery({
    queryKey: ["discord", "members", "of", profile],
    queryFn: () => readMember(profile),
    enabled: mayRead && /^[1-9]\d{16,18}$/.test(profile),
    retry: false,
  });
  // A linked profile may be that of another user, who signs in with it.
  if (data === undefined || data === null || data.user_id !== userId) {
    return null;
  }
  const { state, error } = data;
  return (
    <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 1, mt: 0.5 }}>
      <RouteLink to="/discord" variant="caption">
        {t("discord.member")}
      </RouteLink>
      <Tooltip title={error === null ? "" : <Failure error={error} />} describeChild>
        <span>
          <MemberStateChip state={state} />
        </span>
      </Tooltip>
    </Box>
  );
}
