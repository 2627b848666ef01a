import { State } from "../../../components/State";
import { useText } from "../../../i18n";

/** Whether a gateway accepts new invoices. */
export function GatewayState({ enabled }: { enabled: boolean }) {
  const t = useText();
  return enabled ? (
    <State tone="good" text={t("payments.gateways.on")} />
  ) : (
    <State tone="neutral" text={t("payments.gateways.off")} />
  );
}
