import type { Schemas } from "../../../api/client";
import { State, type Tone } from "../../../components/State";
import { useText } from "../../../i18n";

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
export function usabilityOf(code: PromoCode, now: number): Usability {
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
