import { type Decimal, sum } from "../decimal";
import type { OfCurrency, Period } from "../useStatistics";
import type { Invoice, InvoiceFilter } from "./invoice";

/** How much the invoices of one currency add up to. */
export interface Total {
  currency: string;
  amount: Decimal;
  /** How much of it is paid, where that is a part. */
  paid: Decimal | null;
}

/** The filters that the statistics of the service know, too. */
const KNOWN = new Set([
  "status",
  "is_paid",
  "currency_id",
  "user_id",
  "created_from",
  "created_to",
]);

/** The period whose statistics cover the filters; null if they have no answer. */
export function periodOf(filter: InvoiceFilter): Period | null {
  const isKnown = Object.keys(filter).every((name) => KNOWN.has(name));
  if (!isKnown) {
    return null;
  }
  const userId = filter.user_id === undefined ? undefined : Number(filter.user_id);
  return { from: filter.created_from, to: filter.created_to, userId };
}

/** The totals of everything that the filters leave, from the statistics of the service. */
export function totalsOf(statistics: OfCurrency[], filter: InvoiceFilter): Total[] {
  const states = statesOf(filter);
  return statistics
    .filter(({ id }) => filter.currency_id === undefined || Number(filter.currency_id) === id)
    .map(({ code, stats }) => ({
      currency: code,
      amount: sum(states.map((state) => stats[`${state}_amount`])),
      paid: states.length === STATES.length ? sum([stats.completed_amount]) : null,
    }));
}

/** The totals of the invoices of one page. */
export function pageTotals(invoices: Invoice[]): Total[] {
  const currencies = [...new Set(invoices.map(({ currency }) => currency))];
  return currencies.map((currency) => {
    const own = invoices.filter((invoice) => invoice.currency === currency);
    const paid = own.filter(({ is_paid: isPaid }) => isPaid);
    return {
      currency,
      amount: sum(own.map(({ amount }) => amount)),
      paid: sum(paid.map(({ amount }) => amount)),
    };
  });
}

const STATES = ["completed", "pending", "failed"] as const;

/** The states that the filters leave, by the names of the statistics. */
function statesOf({ status, is_paid: isPaid }: InvoiceFilter) {
  const wanted = status === "paid" ? "completed" : status;
  return STATES.filter(
    (state) =>
      (wanted === undefined || wanted === state) &&
      (isPaid === undefined || (String(isPaid) === "true") === (state === "completed")),
  );
}
