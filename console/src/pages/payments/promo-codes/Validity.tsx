import type { Schemas } from "../../../api/client";
import { useText } from "../../../i18n";
import { useFormat } from "../../../i18n/format";

type Props = Pick<Schemas["PromoCodeItem"], "starts_at" | "expires_at">;

/** From when to when a promo code can be used. */
export function Validity({ starts_at: from, expires_at: to }: Props) {
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
