import type { Schemas } from "../../api/client";
import type { Values } from "../../components/form/conflict";
import { ReasonInput, useRecentReasons } from "../../components/form/ReasonInput";
import { useText } from "../../i18n";
import { after, DURATIONS } from "./duration";
import { EndInput } from "./EndInput";

const USUAL = "week";

/** The terms of a block. The reason is shown to the blocked person at sign-in. */
export function BlockFields() {
  const t = useText();
  const [reasons] = useReasons();
  return (
    <>
      <EndInput
        source="until"
        label={t("users.block.until")}
        lengths={DURATIONS}
        start={USUAL}
        after={after}
        text={(length) => t(`users.block.durations.${length}`)}
      />
      <ReasonInput reasons={reasons} hint={t("users.block.reasonHint")} />
    </>
  );
}

const REASONS = ["cheating", "insults", "spam", "advertising", "griefing", "account"] as const;

/** The reasons to choose from, and what adds one to them. */
export function useReasons(): [reasons: string[], remember: (reason: unknown) => void] {
  const t = useText();
  return useRecentReasons(
    "blocks",
    REASONS.map((name) => t(`users.block.reasons.${name}`)),
  );
}

/** What a block begins with. A block without an end has to be chosen. */
export function usualTerms() {
  return { reason: "", until: after(USUAL, new Date()) };
}

/** The terms of a block from the inputs of a form. */
export function termsOf(values: Values): Schemas["UserBlockTerms"] {
  const { reason, until } = values as { reason?: string | null; until?: string | null };
  return { reason: reason ?? "", until: until ?? null };
}
