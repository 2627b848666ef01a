import { State, type Tone } from "../../../components/State";
import { useText } from "../../../i18n";
import type { InvoiceStatus } from "./status";

const TONES: Record<InvoiceStatus, Tone> = {
  paid: "good",
  pending: "warn",
  failed: "bad",
  unpaid: "neutral",
};

export function InvoiceState({ status }: { status: InvoiceStatus }) {
  const t = useText();
  return <State tone={TONES[status]} text={t(`payments.states.${status}`)} />;
}
