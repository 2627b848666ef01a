import { Panel } from "../../../components/Panel";
import { useText } from "../../../i18n";
import type { OfCurrency } from "../useStatistics";
import { partOf, Shares } from "./Shares";

/** Amounts of different currencies cannot be compared, so the bars show the number of invoices. */
export function ByCurrency({ currencies }: { currencies: OfCurrency[] }) {
  const t = useText();
  const all = currencies.reduce((total, { stats }) => total + stats.completed_count, 0);
  return (
    <Panel title={t("payments.statistics.byCurrency")} hint={t("payments.statistics.paidOnly")}>
      <Shares
        shares={currencies.map(({ id, code, stats }) => ({
          key: id,
          name: code,
          amount: stats.completed_amount,
          count: stats.completed_count,
          currency: code,
          part: partOf(stats.completed_count, all),
        }))}
      />
    </Panel>
  );
}
