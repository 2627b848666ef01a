import Alert from "@mui/material/Alert";
import { useLocale } from "react-admin";
import type { Schemas } from "../../../api/client";
import { useText } from "../../../i18n";
import { fault } from "../../../i18n/faults";
import { useFormat } from "../../../i18n/format";
import { plain } from "../decimal";

interface Props {
  result: Schemas["PromoCodeTrialReply"];
  /** The currency of the purchase, if there is one. */
  currency: string | null;
}

/** Whether a promo code applies, and what is left to pay; or why it does not. */
export function TrialResult({ result: { valid, reason, discount, amount }, currency }: Props) {
  const t = useText();
  const locale = useLocale() ?? "en";
  const format = useFormat();
  const read = (value: number) =>
    currency === null
      ? format.number(plain(value), { minimumFractionDigits: 2, maximumFractionDigits: 4 })
      : format.money(plain(value), currency);
  return valid ? (
    <Alert severity="success">
      {t("payments.promoCodes.applies", { discount: read(discount), amount: read(amount) })}
    </Alert>
  ) : (
    <Alert severity="warning">
      {t("payments.promoCodes.appliesNot", { reason: fault(reason ?? "", locale) })}
    </Alert>
  );
}
