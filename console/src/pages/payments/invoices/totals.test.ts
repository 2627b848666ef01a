import { expect, test } from "vitest";
import type { OfCurrency } from "../useStatistics";
import type { Invoice } from "./invoice";
import { pageTotals, periodOf, totalsOf } from "./totals";

function of(id: number, code: string, amounts: [number, number, number]): OfCurrency {
  const [completed, pending, failed] = amounts;
  return {
    id,
    code,
    stats: {
      total_amount: 0,
      total_count: 0,
      completed_amount: completed,
      completed_count: 1,
      pending_amount: pending,
      pending_count: 1,
      failed_amount: failed,
      failed_count: 1,
      by_gateway: [],
      by_day: [],
    },
  };
}

const statistics = [of(1, "EUR", [0.1, 0.2, 0.4]), of(2, "USD", [5, 0, 0])];

test("totals are exact, and one for each currency", () => {
  expect(totalsOf(statistics, {})).toEqual([
    { currency: "EUR", amount: "0.7", paid: "0.1" },
    { currency: "USD", amount: "5", paid: "5" },
  ]);
});

test("filters of the state and of the currency decide what is added", () => {
  expect(totalsOf(statistics, { status: "failed", currency_id: 1 })).toEqual([
    { currency: "EUR", amount: "0.4", paid: null },
  ]);
  expect(totalsOf(statistics, { is_paid: false, currency_id: 1 })).toEqual([
    { currency: "EUR", amount: "0.6", paid: null },
  ]);
  expect(totalsOf(statistics, { is_paid: true, status: "failed" })[1]?.amount).toBe("0");
});

test("the statistics cannot answer filters that they do not have", () => {
  expect(periodOf({ created_from: "2026-03-01", status: "paid" })).toEqual({
    from: "2026-03-01",
    to: undefined,
  });
  expect(periodOf({ gateway: "card" })).toBeNull();
});

test("the totals of a page add what is on it", () => {
  const invoice = (currency: string, amount: number, is_paid: boolean) =>
    ({ currency, amount, is_paid }) as Invoice;
  expect(
    pageTotals([invoice("EUR", 0.1, true), invoice("USD", 1, false), invoice("EUR", 0.2, false)]),
  ).toEqual([
    { currency: "EUR", amount: "0.3", paid: "0.1" },
    { currency: "USD", amount: "1", paid: "0" },
  ]);
});
