import { useState } from "react";
import { Chart } from "../../components/Chart";
import { useFormat, useText } from "../../i18n";
import { before as periodBefore, dayOf, type Days, daysOf, secondsOf, valuesOf } from "./period";
import type { Statistics } from "./useStatistics";

interface Props {
  label: string;
  height: number;
  currency: string;
  period: Days;
  now: Statistics["by_day"];
  /** The days of the period before. */
  before: Statistics["by_day"];
}

/** The amounts of each day, against the day as far into the period before. */
export function DaysChart({ label, height, currency, period, now, before }: Props) {
  const t = useText();
  const format = useFormat();
  const earlier = valuesOf(periodBefore(period), before);
  const values = valuesOf(period, now);
  const [today] = useState(() => dayOf(Date.now()));
  // Today has only begun: its line is drawn apart, so that it does not look like a fall.
  const isUnfinished = period.to === today && values.length > 1;
  const whole = isUnfinished ? [...values.slice(0, -1), null] : values;
  const ending = values.map((value, day) => (day < values.length - 2 ? null : value));
  return (
    <Chart
      label={label}
      height={height}
      days
      times={daysOf(period).map(secondsOf)}
      series={[
        { label: t("dashboard.now"), values: whole, look: "area" },
        { label: t("dashboard.before"), values: earlier, look: "dashed" },
        ...(isUnfinished
          ? [{ label: t("dashboard.today"), values: ending, look: "unfinished" } as const]
          : []),
      ]}
      value={(amount) => format.money(amount, currency)}
      axisValue={(amount) => format.shortMoney(amount, currency)}
      time={(seconds) => format.day(dayOf(seconds * 1000))}
    />
  );
}
