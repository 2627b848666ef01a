import { Alert, Box } from "@mui/material";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useWatch } from "react-hook-form";
import { api, body, type Schemas } from "../../../api/client";
import { useDelayed } from "../../../components/useDelayed";
import { useText } from "../../../i18n";
import { TrialResult } from "../promo-codes/TrialPanel";

const DELAY_MS = 300;

interface Purchase {
  code: string;
  amount: number;
  user_id: number | null;
}

/** What the promo code of the form around would take off, while the invoice is being written. */
export function DiscountPreview({ currency }: { currency: string | null }) {
  const t = useText();
  const [code, amount, user] = useWatch({ name: ["promo_code", "amount", "user_id"] }) as unknown[];
  const typed = typeof code === "string" ? code.trim() : "";
  const isReady = typed !== "" && typeof amount === "number" && amount > 0;
  const shown = isReady
    ? { code: typed, amount, user_id: typeof user === "number" ? user : null }
    : null;
  const purchase = JSON.parse(useDelayed(JSON.stringify(shown), DELAY_MS)) as Purchase | null;
  const { data } = useQuery({
    queryKey: ["promo-codes", "trial", purchase],
    queryFn: () => (purchase === null ? null : trial(purchase)),
    enabled: purchase !== null,
    placeholderData: keepPreviousData,
  });
  return (
    <Box aria-live="polite">
      {isReady && data !== undefined && data !== null && (
        <TrialResult result={data} currency={currency} />
      )}
      {isReady && data === null && (
        <Alert severity="warning">{t("errors.codes.promo_code_not_found")}</Alert>
      )}
    </Box>
  );
}

/** The answer of the service; null if there is no such code. */
async function trial({
  code,
  ...purchase
}: Purchase): Promise<Schemas["PromoCodeTrialReply"] | null> {
  const { promo_codes: found } = await body(
    api.GET("/api/promo-codes", { params: { query: { code } } }),
  );
  const id = found[0]?.id;
  return id === undefined
    ? null
    : body(
        api.POST("/api/promo-codes/{id}/validate", { params: { path: { id } }, body: purchase }),
      );
}
