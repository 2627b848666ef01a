import Box from "@mui/material/Box";
import { useFormat } from "../i18n/format";

/** An amount in its currency. */
export function Money({ amount, currency }: { amount: number | `${number}`; currency: string }) {
  const format = useFormat();
  return (
    <Box component="span" sx={{ whiteSpace: "nowrap", fontVariantNumeric: "tabular-nums" }}>
      {format.money(amount, currency)}
    </Box>
  );
}
