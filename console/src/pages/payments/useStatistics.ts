import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { api, body, type Schemas } from "../../api/client";

/** Days in UTC, both ends included. Without an end it is open. */
export interface Period {
  from?: string | undefined;
  to?: string | undefined;
}

/** The statistics of one currency. Amounts of different currencies are never added. */
export interface OfCurrency {
  id: number;
  code: string;
  stats: Schemas["PaymentStatistics"];
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

async function read({ from, to }: Period): Promise<OfCurrency[]> {
  const of = async (query: { currency_id?: number; group_by?: "currency" }) => {
    const period = { start_date: from, end_date: to };
    const params = { query: { ...period, ...query } };
    return (await body(api.GET("/api/payment-invoices/stats", { params }))).stats;
  };
  const { by_currency: currencies = [] } = await of({ group_by: "currency" });
  const used = currencies.filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
  return Promise.all(
    used.map(async ({ currency_id: id, currency: code }) => ({
      id,
      code,
      stats: await of({ currency_id: id }),
    })),
  );
}
