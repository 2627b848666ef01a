import type { Schemas } from "../../../api/client";
import { useFormat } from "../../../i18n/format";
import { plain } from "../decimal";

/** What a promo code takes off: `10 %`, or an amount in whatever currency the invoice has. */
export function Worth({ code: { type, value } }: { code: Pick<PromoCode, "type" | "value"> }) {
  const format = useFormat();
  const options = { maximumFractionDigits: 4 };
  return type === "percentage" ? (
    <>{format.number(plain(value), { ...options, style: "unit", unit: "percent" })}</>
  ) : (
    <>{format.number(plain(value), { ...options, minimumFractionDigits: 2 })}</>
  );
}

type PromoCode = Schemas["PromoCodeItem"];
