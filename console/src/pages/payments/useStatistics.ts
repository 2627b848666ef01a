import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, body, type Schemas } from "../../api/client";

/** Days in UTC, both ends included. Without an end it is open. */
export interface Period {
  from?: string | undefined;
  to?: string | undefined;
  /** Only invoices of this user. */
  userId?: number | undefined;
}

export type Statistics = Schemas["PaymentStatistics"];

/** The statistics of one currency. Amounts of different currencies are never added. */
export interface OfCurrency {
  id: number;
  code: string;
  stats: Statistics;
}

/** The statistics of every currency that has invoices in a period, the most used one first. */
export function useStatistics(period: Period, options: { enabled?: boolean } = {}) {
  return useQuery({
    queryKey: ["invoices", "statistics", period],
    queryFn: () => read(period),
    placeholderData: keepPreviousData,
    ...options,
  });
}

async function read(period: Period): Promise<OfCurrency[]> {
  const { by_currency: currencies = [] } = await readStatistics(period, { group_by: "currency" });
  const used = currencies.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  return Promise.all(
    used.map(async ({ currency_id: id, currency: code }) => ({
      id,
      code,
      stats: await readStatistics(period, { currency_id: id }),
    })),
  );
}

export async function readStatistics(
  { from, to, userId }: Period,
  query: { currency_id?: number; group_by?: "currency" | "paid_day" },
): Promise<Statistics> {
  const params = { query: { start_date: from, end_date: to, user_id: userId, ...query } };
  return (await body(api.GET("/api/payment-invoices/stats", { params }))).stats;
}
