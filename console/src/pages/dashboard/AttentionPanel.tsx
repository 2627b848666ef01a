import CheckCircleOutlined from "@mui/icons-material/CheckCircleOutlined";
import ErrorOutlined from "@mui/icons-material/ErrorOutlined";
import InfoOutlined from "@mui/icons-material/InfoOutlined";
import WarningAmberOutlined from "@mui/icons-material/WarningAmberOutlined";
import { Box, Button, Skeleton, Typography } from "@mui/material";
import { useQueries, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { RouteLink } from "../../components/links";
import { LoadError } from "../../components/Loaded";
import { Panel } from "../../components/Page";
import { Muted, When } from "../../components/text";
import { useText } from "../../i18n";
import { grants, useSession } from "../../session/session";
import { useTokens } from "../../theme/theme";
import { CHECKS, type Finding } from "./attention";

const ICONS = { bad: ErrorOutlined, warn: WarningAmberOutlined, accent: InfoOutlined };
const URGENCY = { bad: 0, warn: 1, accent: 2 };
const SHOWN = 6;
const AGAIN_MS = 60_000;

/** What a person should look at, the most urgent first. */
export function AttentionPanel() {
  const t = useText();
  const tokens = useTokens();
  const session = useSession();
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const checks = CHECKS.filter(({ permission }) => grants(session, permission));
  const results = useQueries({
    queries: checks.map(({ queryKey, find }) => ({
      queryKey,
      queryFn: () => find(client),
      refetchInterval: AGAIN_MS,
    })),
  });
  if (checks.length === 0) {
    return null;
  }
  const findings = results
    .flatMap(({ data }) => data ?? [])
    .toSorted((one, other) => URGENCY[one.tone] - URGENCY[other.tone]);
  const isPending = results.some((result) => result.isPending);
  const hasFailed = results.some((result) => result.isError);
  return (
    <Panel title={t("dashboard.attention.title")}>
      {results.map(
        ({ error, refetch }, index) =>
          error !== null && (
            <Box key={checks[index]?.subject} sx={{ mb: 1 }}>
              <LoadError
                error={error}
                retry={refetch}
                what={t(`common.resources.${checks[index]?.subject ?? "servers"}`)}
              />
            </Box>
          ),
      )}
      {isPending && findings.length === 0 ? (
        <Skeleton variant="rounded" height={160} aria-busy />
      ) : findings.length === 0 && !hasFailed ? (
        <Box sx={{ display: "flex", alignItems: "center", gap: 1.5, color: tokens.good, py: 1 }}>
          <CheckCircleOutlined />
          <Typography color="textPrimary">{t("dashboard.attention.nothing")}</Typography>
        </Box>
      ) : (
        <>
          <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0, typography: "body2" }}>
            {findings.slice(0, isOpen ? undefined : SHOWN).map((finding) => (
              <Row key={`${finding.problem} ${finding.to}`} finding={finding} />
            ))}
          </Box>
          {findings.length > SHOWN && !isOpen && (
            <Button onClick={() => setOpen(true)}>
              {t("dashboard.attention.more", { smart_count: findings.length - SHOWN })}
            </Button>
          )}
        </>
      )}
    </Panel>
  );
}

function Row({ finding }: { finding: Finding }) {
  const t = useText();
  const tokens = useTokens();
  const { problem, name, count, at, tone, to } = finding;
  const Icon = ICONS[tone];
  return (
    <Box component="li" sx={{ display: "flex", gap: 1.25, py: 0.75 }}>
      <Icon aria-hidden fontSize="small" sx={{ color: tokens[tone], mt: 0.25, flexShrink: 0 }} />
      <Box sx={{ minWidth: 0 }}>
        <RouteLink to={to} color="textPrimary" sx={{ fontWeight: 550, overflowWrap: "anywhere" }}>
          {t(`dashboard.attention.problems.${problem}`, { name, smart_count: count ?? 1 })}
        </RouteLink>
        <Muted>
          {t(`dashboard.attention.advice.${problem}`)} {at && <When at={at} />}
        </Muted>
      </Box>
    </Box>
  );
}
