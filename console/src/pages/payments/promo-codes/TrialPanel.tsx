import { Alert, Box, Button } from "@mui/material";
import { useState } from "react";
import { Form, useLocale } from "react-admin";
import { api, body, type Schemas } from "../../../api/client";
import type { Values } from "../../../components/form/conflict";
import { useFormErrors } from "../../../components/form/useFormErrors";
import { Panel } from "../../../components/Page";
import { faultText } from "../../../i18n/faults";
import { useFormat, useText } from "../../../i18n";
import { AmountInput } from "../AmountInput";
import { plain } from "../decimal";
import { UserInput } from "../UserInput";

/** Asks what a promo code would do to a purchase. Nothing is used or written. */
export function TrialPanel({ id }: { id: number }) {
  const t = useText();
  const { problem, guard } = useFormErrors(["user_id", "amount"]);
  const [result, setResult] = useState<Schemas["PromoCodeTrialReply"] | null>(null);
  const run = (values: Values) =>
    guard(async () => {
      setResult(null);
      const trial = { ...values, user_id: values.user_id ?? null } as Schemas["PromoCodeTrial"];
      setResult(
        await body(
          api.POST("/api/promo-codes/{id}/validate", { params: { path: { id } }, body: trial }),
        ),
      );
    });
  return (
    <Panel title={t("payments.promoCodes.trial")} hint={t("payments.promoCodes.trialHint")}>
      <Form onSubmit={run} noValidate>
        <Box
          sx={{
            display: "grid",
            gap: 1.5,
            alignItems: "start",
            gridTemplateColumns: { xs: "1fr", sm: "2fr 1fr auto" },
            "& .MuiFormControl-root": { m: 0 },
          }}
        >
          <UserInput source="user_id" />
          <AmountInput source="amount" label={t("payments.amount.label")} required />
          <Button type="submit" variant="outlined" sx={{ minHeight: 40 }}>
            {t("payments.promoCodes.check")}
          </Button>
        </Box>
      </Form>
      <Box aria-live="polite" sx={{ mt: result === null && problem === null ? 0 : 2 }}>
        {problem !== null && <Alert severity="error">{problem}</Alert>}
        {result !== null && <TrialResult result={result} currency={null} />}
      </Box>
    </Panel>
  );
}

interface Props {
  result: Schemas["PromoCodeTrialReply"];
  /** The currency of the purchase, if there is one. */
  currency: string | null;
}

/** Whether a promo code applies, and what is left to pay; or why it does not. */
export function TrialResult({ result: { reason, faults, discount, amount }, currency }: Props) {
  const t = useText();
  const locale = useLocale() ?? "en";
  const format = useFormat();
  const read = (value: number) =>
    currency === null
      ? format.number(plain(value), { minimumFractionDigits: 2, maximumFractionDigits: 4 })
      : format.money(plain(value), currency);
  const [fault] = faults;
  return fault === undefined ? (
    <Alert severity="success">
      {t("payments.promoCodes.applies", { discount: read(discount), amount: read(amount) })}
    </Alert>
  ) : (
    <Alert severity="warning">
      {t("payments.promoCodes.appliesNot", { reason: faultText(fault, reason ?? "", locale) })}
    </Alert>
  );
}
