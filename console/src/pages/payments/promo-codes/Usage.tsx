import Box from "@mui/material/Box";
import LinearProgress from "@mui/material/LinearProgress";
import type { Schemas } from "../../../api/client";
import { useText } from "../../../i18n";
import { useFormat } from "../../../i18n/format";

interface Props {
  code: Pick<Schemas["PromoCodeItem"], "usages_count" | "max_usages" | "code">;
}

/** How often a promo code was used, and of how often it may be: `12 of 50`. */
export function Usage({ code: { usages_count: used, max_usages: most, code } }: Props) {
  const t = useText();
  const format = useFormat();
  if (most === null) {
    return <>{t("payments.promoCodes.used", { used: format.number(used) })}</>;
  }
  const share = Math.min(100, (used / most) * 100);
  return (
    <Box sx={{ minWidth: 96, maxWidth: 160 }}>
      {t("payments.promoCodes.usedOf", { used: format.number(used), most: format.number(most) })}
      <LinearProgress
        variant="determinate"
        value={share}
        aria-label={t("payments.promoCodes.usageOf", { code })}
        color={share >= 100 ? "warning" : "primary"}
        sx={{ mt: 0.5, borderRadius: 1 }}
      />
    </Box>
  );
}
