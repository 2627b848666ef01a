import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import Alert from "@mui/material/Alert";
import { useState } from "react";
import { Form } from "react-admin";
import { api, body, type Schemas } from "../../../api/client";
import type { Values } from "../../../components/form/conflict";
import { useFormErrors } from "../../../components/form/useFormErrors";
import { Panel } from "../../../components/Panel";
import { useText } from "../../../i18n";
import { AmountInput } from "../AmountInput";
import { UserInput } from "../UserInput";
import { TrialResult } from "./TrialResult";

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
      <Form onSubmit={run}>
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
