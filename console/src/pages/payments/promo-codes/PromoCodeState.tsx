import { Box, LinearProgress } from "@mui/material";
import type { Schemas } from "../../../api/client";
import { State, type Tone } from "../../../components/text";
import { useFormat, useText } from "../../../i18n";
import { plain } from "../decimal";

type PromoCode = Schemas["PromoCodeItem"];
type Usability = "usable" | "inactive" | "planned" | "expired" | "usedUp";

const TONES: Record<Usability, Tone> = {
  usable: "good",
  inactive: "neutral",
  planned: "accent",
  expired: "warn",
  usedUp: "warn",
};

/** Why a promo code cannot be used at a moment, in the order in which the service checks it. */
function usabilityOf(code: PromoCode, now: number): Usability {
  if (!code.active) {
    return "inactive";
  }
  if (code.starts_at !== null && Date.parse(code.starts_at) > now) {
    return "planned";
  }
  if (code.expires_at !== null && Date.parse(code.expires_at) <= now) {
    return "expired";
  }
  return code.max_usages !== null && code.usages_count >= code.max_usages ? "usedUp" : "usable";
}

export function PromoCodeState({ code, now }: { code: PromoCode; now: number }) {
  const t = useText();
  const usability = usabilityOf(code, now);
  return <State tone={TONES[usability]} text={t(`payments.promoCodes.state.${usability}`)} />;
}

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

type ValidityProps = Pick<Schemas["PromoCodeItem"], "starts_at" | "expires_at">;

/** From when to when a promo code can be used. */
export function Validity({ starts_at: from, expires_at: to }: ValidityProps) {
  const t = useText();
  const format = useFormat();
  const day = (at: string) => format.date(new Date(at), { dateStyle: "medium" });
  if (from !== null && to !== null) {
    return <>{t("payments.promoCodes.fromTo", { from: day(from), to: day(to) })}</>;
  }
  if (from !== null) {
    return <>{t("payments.promoCodes.since", { from: day(from) })}</>;
  }
  return (
    <>
      {to === null
        ? t("payments.promoCodes.always")
        : t("payments.promoCodes.until", { to: day(to) })}
    </>
  );
}

/** What a promo code takes off: `10 %`, or an amount in whatever currency the invoice has. */
export function Worth({ code: { type, value } }: { code: Pick<PromoCode, "type" | "value"> }) {
  const t = useText();
  const format = useFormat();
  const options = { maximumFractionDigits: 4 };
  return type === "percentage" ? (
    <>{format.number(plain(value), { ...options, style: "unit", unit: "percent" })}</>
  ) : (
    <>
      {t("payments.promoCodes.inCurrency", {
        amount: format.number(plain(value), { ...options, minimumFractionDigits: 2 }),
      })}
    </>
  );
}
