import { Box, Typography } from "@mui/material";
import { createContext, type ReactNode, useContext, useState } from "react";
import { api } from "../../../api/client";
import { steamId } from "../../../api/profiles";
import { useRead } from "../../../api/useRead";
import { Code, Muted } from "../../../components/text";
import { useText } from "../../../i18n";
import { useCan } from "../../../session/session";
import { useTokens } from "../../../theme/theme";
import { type Person, UserSearch } from "../../operators/UserSearch";
import { type CommandValues, type Placeholder, type Problem, renderCommand } from "./command";

type Who = Pick<CommandValues, "steamId" | "discordId" | "userId" | "username">;

const EXAMPLE: Who = {
  steamId: "76561197960265731",
  discordId: "123456789012345678",
  userId: 1,
  username: "player",
};

/** Numbers that are known only once the product is sold, or the player banned. */
const SAMPLE = { grantId: 1, invoiceId: 1, banId: 1 };

/** Whom commands are shown for, and how they are called: null for the example. */
const Shown = createContext<{ who: Who; name: string | null }>({ who: EXAMPLE, name: null });

/** Lets the person choose a user, for whom the commands inside are shown. */
export function PreviewFor({ isOffered, children }: { isOffered: boolean; children: ReactNode }) {
  const t = useText();
  const maySearch = useCan("admin.users.read");
  const [person, setPerson] = useState<Person | null>(null);
  const { data } = useRead(
    ["users", person?.id, "links"],
    () => api.GET("/api/users/{id}/social-networks", { params: { path: { id: person?.id ?? 0 } } }),
    { enabled: person !== null },
  );
  const linked = (network: string) =>
    data?.social_networks.find((link) => link.network === network)?.profile_url ?? "";
  const isKnown = person !== null && data !== undefined;
  const discord = linked("discord");
  const who = isKnown
    ? {
        steamId: steamId(linked("steam")),
        discordId: /^\d{17,20}$/.test(discord) ? discord : null,
        userId: person.id,
        username: person.username,
      }
    : EXAMPLE;
  return (
    <Shown value={{ who, name: isKnown ? person.username : null }}>
      {isOffered && maySearch && (
        <Box sx={{ mb: 2 }}>
          <Typography variant="body2" sx={{ fontWeight: 600 }}>
            {t("products.preview.title")}
          </Typography>
          <Muted sx={{ mb: 1 }}>{t("products.preview.hint")}</Muted>
          <UserSearch value={person} onChange={setPerson} error={null} />
        </Box>
      )}
      {children}
    </Shown>
  );
}

interface Props {
  template: string;
  placeholders: readonly Placeholder[];
  serverId: number;
  /** How long the role or the ban lasts; 0 for ever. */
  seconds: number;
}

/** What a command would be for the chosen user, and why it could not be sent. */
export function CommandPreview({ template, placeholders, serverId, seconds }: Props) {
  const t = useText();
  const tokens = useTokens();
  const { who, name: chosen } = useContext(Shown);
  const name = chosen ?? t("products.preview.example");
  const [now] = useState(Date.now);
  const expiresUnix = seconds === 0 ? 0 : Math.floor(now / 1000) + seconds;
  const values = { ...who, ...SAMPLE, serverId, seconds, expiresUnix };
  const { text, missing, problem } = renderCommand(template, values, placeholders);
  return (
    <Box aria-live="polite" sx={{ mt: 1, px: 1.5, py: 1, borderRadius: 1, bgcolor: tokens.inset }}>
      {problem === null ? (
        <>
          <Typography variant="caption" color="textSecondary" component="div">
            {t("products.preview.sends", { name })}
          </Typography>
          <Code>{text}</Code>
        </>
      ) : (
        <ProblemText problem={problem} />
      )}
      {missing.map((network) => (
        <Typography key={network} variant="body2" sx={{ color: tokens.warn, mt: 0.5 }}>
          {t(`products.preview.missing.${network}`, { name })}
        </Typography>
      ))}
    </Box>
  );
}

function ProblemText({ problem }: { problem: Problem }) {
  const t = useText();
  const tokens = useTokens();
  return (
    <Typography variant="body2" sx={{ color: tokens.bad }}>
      {t(`products.preview.problems.${problem.kind}`, "name" in problem ? problem : {})}
    </Typography>
  );
}
