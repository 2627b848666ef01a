import { Panel } from "../../../components/Panel";
import { useText } from "../../../i18n";
import type { OfCurrency } from "../useStatistics";
import { partOf, Shares } from "./Shares";

const STATES = [
  { name: "paid", field: "completed", colour: "success" },
  { name: "pending", field: "pending", colour: "warning" },
  { name: "failed", field: "failed", colour: "error" },
] as const;

export function ByState({ of: { code, stats } }: { of: OfCurrency }) {
  const t = useText();
  return (
    <Panel title={t("payments.statistics.byState")}>
      <Shares
        shares={STATES.map(({ name, field, colour }) => ({
          key: name,
          name: t(`payments.states.${name}`),
          amount: stats[`${field}_amount`],
          count: stats[`${field}_count`],
          currency: code,
          part: partOf(stats[`${field}_amount`], stats.total_amount),
          colour,
        }))}
      />
    </Panel>
  );
}
