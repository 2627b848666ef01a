import { Box, Stack, Typography } from "@mui/material";
import { CopyButton } from "../../components/CopyField";
import { Panel } from "../../components/Page";
import { Muted, State } from "../../components/text";
import { useText } from "../../i18n";
import { useSession } from "../../session/session";
import { useTokens } from "../../theme/theme";
import { MONOSPACE } from "../../theme/tokens";
import { configurationLines } from "./findings";

/** With which providers users of the site can sign in, and the lines that set up the others. */
export function SignInPanel() {
  const t = useText();
  const tokens = useTokens();
  const features = useSession()?.features;
  if (features === undefined) {
    return null;
  }
  const lines = configurationLines(features).join("\n");
  const providers = [
    ["Steam", features.steam_sign_in],
    ["Discord", features.discord_sign_in],
  ] as const;
  return (
    <Panel title={t("discord.signIn.title")} hint={t("discord.signIn.hint")}>
      <Stack sx={{ gap: 1.5 }}>
        {providers.map(([name, isOn]) => (
          <Box key={name} sx={{ display: "flex", alignItems: "center", gap: 1 }}>
            <Typography variant="body2" sx={{ fontWeight: 550, flexGrow: 1 }}>
              {name}
            </Typography>
            <State
              tone={isOn ? "good" : "neutral"}
              text={t(isOn ? "discord.signIn.on" : "discord.signIn.off")}
            />
          </Box>
        ))}
        {lines !== "" && (
          <>
            <Muted>{t("discord.signIn.lines")}</Muted>
            <Box
              sx={{
                display: "flex",
                alignItems: "flex-start",
                gap: 1,
                pl: 1.5,
                pr: 0.5,
                py: 0.5,
                borderRadius: 1,
                bgcolor: tokens.inset,
                border: 1,
                borderColor: "divider",
              }}
            >
              <Box
                component="pre"
                sx={{
                  flexGrow: 1,
                  m: 0,
                  py: 0.75,
                  fontFamily: MONOSPACE,
                  fontSize: 13,
                  whiteSpace: "pre-wrap",
                  overflowWrap: "anywhere",
                }}
              >
                {lines}
              </Box>
              <CopyButton label={t("discord.signIn.linesLabel")} value={lines} />
            </Box>
            {!features.discord_sign_in && <Muted>{t("discord.signIn.secret")}</Muted>}
          </>
        )}
      </Stack>
    </Panel>
  );
}
