import { useQuery } from "@tanstack/react-query";
import { api, body, type Schemas } from "../../api/client";
import { useCan } from "../../session/session";
import { daysOf, type Period } from "./period";

export type Statistics = Schemas["PaymentStatistics"];

interface Revenue {
  /** The currencies of both periods, those with the most invoices first. */
  currencies: { id: number; code: string }[];
  /** The one that the figures are in; null if there are no invoices. */
  currency: { id: number; code: string } | null;
  now: Statistics;
  before: Statistics;
}

/** Statistics of a period and of the one before, in one currency. */
export function useRevenue(current: Period, previous: Period, wanted: number | null) {
  return useQuery({
    queryKey: ["invoices", "dashboard", current, wanted],
    queryFn: async (): Promise<Revenue> => {
      const both = await read(
        { start: previous.start, end: current.end },
        { group_by: "currency" },
      );
      const currencies = (both.by_currency ?? [])
        .toSorted((one, other) => other.count - one.count)
        .map(({ currency_id: id, currency: code }) => ({ id, code }));
      const currency = currencies.find(({ id }) => id === wanted) ?? currencies[0] ?? null;
      const only = currency === null ? {} : { currency_id: currency.id };
      const [now, before] = await Promise.all([read(current, only), read(previous, only)]);
      return { currencies, currency, now, before };
    },
    enabled: useCan("admin.payments.read"),
  });
}

async function read(
  { start, end }: Period,
  query: { currency_id?: number; group_by?: "currency" },
): Promise<Statistics> {
  const params = { query: { start_date: start, end_date: end, ...query } };
  return (await body(api.GET("/api/payment-invoices/stats", { params }))).stats;
}

/** The amount of every day of a period. Days without invoices are not in the statistics. */
export function amounts({ by_day }: Statistics, period: Period): number[] {
  const known = new Map(by_day.map(({ date, amount }) => [date, amount]));
  return daysOf(period).map((day) => known.get(day) ?? 0);
}
