import Chip from "@mui/material/Chip";
import { useTokens } from "../theme/theme";

export type Tone = "good" | "warn" | "bad" | "accent" | "neutral";

/** A state as a word with a colour: `Paid`, `Blocked`. The word alone says it, too. */
export function State({ tone, text }: { tone: Tone; text: string }) {
  const tokens = useTokens();
  const colours = {
    good: { color: tokens.good, bgcolor: tokens.goodSoft },
    warn: { color: tokens.warn, bgcolor: tokens.warnSoft },
    bad: { color: tokens.bad, bgcolor: tokens.badSoft },
    accent: { color: tokens.accent, bgcolor: tokens.accentSoft },
    neutral: { color: tokens.muted, bgcolor: tokens.inset },
  }[tone];
  return <Chip label={text} size="small" sx={{ ...colours, borderRadius: 1.5, height: 24 }} />;
}
