import type { Schemas } from "../../../api/client";
import { Chart } from "../../../components/Chart";
import { Panel } from "../../../components/Panel";
import { useText } from "../../../i18n";
import { useFormat } from "../../../i18n/format";
import type { OfCurrency } from "../useStatistics";
import { before, type Days, dayOf, daysOf, secondsOf, valuesOf } from "./period";

interface Props {
  of: OfCurrency;
  compared: Schemas["PaymentStatistics"] | undefined;
  period: Days;
}

/** The amounts of each day, against the day as far into the period before. */
export function ByDay({ of: { code, stats }, compared, period }: Props) {
  const t = useText();
  const format = useFormat();
  return (
    <Panel title={t("payments.statistics.byDay")} hint={t("payments.statistics.byDayHint")}>
      <Chart
        label={t("payments.statistics.byDayOf", { code })}
        height={280}
        days
        times={daysOf(period).map(secondsOf)}
        series={[
          {
            label: t("payments.statistics.thisPeriod"),
            values: valuesOf(period, stats.by_day),
            look: "area",
          },
          {
            label: t("payments.statistics.periodBefore"),
            values: valuesOf(before(period), compared?.by_day ?? []),
            look: "dashed",
          },
        ]}
        value={(amount) => format.money(amount, code)}
        axisValue={(amount) => format.shortMoney(amount, code)}
        time={(seconds) => format.day(dayOf(seconds * 1000))}
      />
    </Panel>
  );
}
