import CheckCircleOutlined from "@mui/icons-material/CheckCircleOutlined";
import ErrorOutlined from "@mui/icons-material/ErrorOutlined";
import HelpOutlined from "@mui/icons-material/HelpOutlined";
import WarningAmberOutlined from "@mui/icons-material/WarningAmberOutlined";
import { Box, Skeleton, Typography } from "@mui/material";
import { Panel } from "../../components/Page";
import { useText } from "../../i18n";
import { useTokens } from "../../theme/theme";
import type { Findings } from "./connection";
import { type Line, linesOf } from "./findings";
import { useServerRoleName } from "./roles";

const ICONS = {
  good: CheckCircleOutlined,
  warn: WarningAmberOutlined,
  bad: ErrorOutlined,
  neutral: HelpOutlined,
};

/** What a check found, each as a sentence that says what to do. */
export function FindingsPanel({ findings }: { findings: Findings | null }) {
  const t = useText();
  const nameOf = useServerRoleName();
  const lines = findings === null ? null : linesOf(findings, nameOf);
  const isFine = lines?.every(({ tone }) => tone === "good");
  return (
    <Panel
      title={t("discord.check.title")}
      hint={lines !== null && t(isFine ? "discord.check.fine" : "discord.check.steps")}
    >
      <Box role="status" aria-label={t("discord.check.title")} aria-busy={lines === null}>
        {lines === null ? (
          <Skeleton height={96} variant="rounded" />
        ) : (
          <Box component="ul" sx={{ display: "grid", gap: 1, m: 0, p: 0, listStyle: "none" }}>
            {lines.map((line) => (
              <Sentence key={line.text + String(line.values?.role)} line={line} />
            ))}
          </Box>
        )}
      </Box>
    </Panel>
  );
}

function Sentence({ line: { tone, text, values } }: { line: Line }) {
  const t = useText();
  const tokens = useTokens();
  const Icon = ICONS[tone];
  return (
    <Box component="li" sx={{ display: "flex", gap: 1.25 }}>
      <Icon
        aria-hidden
        fontSize="small"
        sx={{ mt: "1px", color: tone === "neutral" ? tokens.muted : tokens[tone] }}
      />
      <Typography variant="body2" sx={{ overflowWrap: "anywhere", minWidth: 0 }}>
        {t(text, values)}
      </Typography>
    </Box>
  );
}
