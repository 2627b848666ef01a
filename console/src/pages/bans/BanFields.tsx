import { TextArrayInput, TextInput } from "react-admin";
import { ReasonInput, useRecentReasons } from "../../components/form/ReasonInput";
import { useText } from "../../i18n";
import { useTerm } from "../payments/products/product";
import { ServersInput } from "../payments/products/ServersInput";
import { EndInput } from "../users/EndInput";
import { after, LENGTHS, USUAL_SECONDS } from "./start";

const REASONS = ["cheating", "insults", "spam", "advertising", "griefing", "evasion"] as const;

/** The reasons to choose from, and what adds one to them. */
export function useBanReasons() {
  const t = useText();
  return useRecentReasons(
    "bans",
    REASONS.map((name) => t(`bans.reasons.${name}`)),
  );
}

/** The fields of a ban that can be changed later. */
export function useBanLabels() {
  const t = useText();
  return {
    reason: t("common.reason"),
    expires_at: t("bans.until"),
    server_ids: t("common.resources.servers"),
    player_name: t("bans.form.name"),
    note: t("bans.form.note"),
    evidence: t("bans.form.evidence"),
  };
}

interface TermProps {
  start: "new" | "forever" | "other";
  /** Whether the ban is by address alone. */
  mustEnd: boolean;
}

/** Why, and for how long. A new ban counts its length from when it is sent. */
export function TermFields({ start, mustEnd }: TermProps) {
  const t = useText();
  const term = useTerm();
  const [reasons] = useBanReasons();
  return (
    <>
      <ReasonInput reasons={reasons} hint={t("bans.form.reasonHint")} required />
      <EndInput
        source="expires_at"
        label={t("bans.until")}
        lengths={LENGTHS}
        start={start === "new" ? USUAL_SECONDS : start}
        after={after}
        text={term}
        {...(mustEnd && { endless: t("bans.form.mustEnd") })}
        {...(start === "new" && { lengthSource: "length" })}
      />
    </>
  );
}

/** Where a ban holds, and what else is known. */
export function DetailFields() {
  const t = useText();
  const labels = useBanLabels();
  return (
    <>
      <ServersInput
        source="server_ids"
        hint={t("bans.form.serversHint")}
        placeholder={t("bans.allServers")}
      />
      <TextInput
        source="player_name"
        label={labels.player_name}
        helperText={t("bans.form.nameHint")}
        slotProps={{ htmlInput: { maxLength: 100, autoComplete: "off" } }}
      />
      <TextInput
        source="note"
        label={labels.note}
        helperText={t("bans.form.noteHint")}
        multiline
        minRows={2}
        slotProps={{ htmlInput: { maxLength: 2000 } }}
      />
      <TextArrayInput
        source="evidence"
        label={labels.evidence}
        helperText={t("bans.form.evidenceHint")}
        // What was typed but not ended with Enter counts as well.
        autoSelect
      />
    </>
  );
}
