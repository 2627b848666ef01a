import { Panel } from "../../../components/Panel";
import { useText } from "../../../i18n";
import type { OfCurrency } from "../useStatistics";
import { partOf, Shares } from "./Shares";

export function ByGateway({ of: { code, stats } }: { of: OfCurrency }) {
  const t = useText();
  const gateways = [...stats.by_gateway].sort((a, b) => b.amount - a.amount);
  return (
    <Panel title={t("payments.statistics.byGateway")} hint={t("payments.statistics.everyState")}>
      <Shares
        shares={gateways.map(({ gateway_id: key, gateway_name: name, amount, count }) => ({
          key,
          name,
          amount,
          count,
          currency: code,
          part: partOf(amount, stats.total_amount),
          to: `/gateways/${key}`,
        }))}
      />
    </Panel>
  );
}
