import { Box, Chip, Tooltip, Typography, type TypographyProps } from "@mui/material";
import { type ReactNode, useEffect, useState } from "react";
import { useFormat, useText } from "../i18n";
import { useTokens } from "../theme/theme";
import { MONOSPACE } from "../theme/tokens";

/** Text that explains what is beside it. */
export function Muted(props: TypographyProps) {
  return <Typography variant="body2" color="textSecondary" component="div" {...props} />;
}

/** Text for programs: addresses, keys, names of actions. */
export function Code({ children }: { children: ReactNode }) {
  return (
    <Box component="code" sx={{ fontFamily: MONOSPACE, fontSize: 13, overflowWrap: "anywhere" }}>
      {children}
    </Box>
  );
}

/** An amount in its currency. */
export function Money({ amount, currency }: { amount: number | `${number}`; currency: string }) {
  const format = useFormat();
  return (
    <Box component="span" sx={{ whiteSpace: "nowrap", fontVariantNumeric: "tabular-nums" }}>
      {format.money(amount, currency)}
    </Box>
  );
}

export type Tone = "good" | "warn" | "bad" | "accent" | "neutral";

/** The colours of a tone, for text or an icon on its surface. */
export function useColours(tone: Tone) {
  const tokens = useTokens();
  return {
    good: { color: tokens.good, bgcolor: tokens.goodSoft },
    warn: { color: tokens.warn, bgcolor: tokens.warnSoft },
    bad: { color: tokens.bad, bgcolor: tokens.badSoft },
    accent: { color: tokens.accent, bgcolor: tokens.accentSoft },
    neutral: { color: tokens.muted, bgcolor: tokens.inset },
  }[tone];
}

/** A state as a word with a colour: `Paid`, `Blocked`. The word alone says it, too. */
export function State({ tone, text }: { tone: Tone; text: string }) {
  const sx = { ...useColours(tone), borderRadius: 1.5, height: 24 };
  return <Chip label={text} size="small" sx={sx} />;
}

/** A moment as a date and a time, for what is compared with other records, such as payments. */
export function Moment({ at }: { at: string }) {
  const format = useFormat();
  return (
    <Box component="time" dateTime={at} sx={{ whiteSpace: "nowrap" }}>
      {format.moment(at)}
    </Box>
  );
}

const REFRESH_MS = 30_000;

/** The current time, for texts that depend on it. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** A moment, as `5 minutes ago`. The exact one is shown on hover and on focus. */
export function When({ at }: { at: string | null | undefined }) {
  const t = useText();
  const format = useFormat();
  const now = useNow();

  if (at === null || at === undefined) {
    return (
      <Box component="span" sx={{ color: "text.secondary" }}>
        {t("common.never")}
      </Box>
    );
  }
  // `now` is a little old, and clocks differ: what happened since then did not happen in the future.
  const ahead = Date.parse(at) - now;
  const reference = ahead > 0 && ahead <= REFRESH_MS ? now + ahead : now;
  return (
    <Tooltip title={format.exactMoment(at)}>
      <Box component="time" dateTime={at} sx={{ whiteSpace: "nowrap" }}>
        {format.relative(at, reference)}
      </Box>
    </Tooltip>
  );
}
