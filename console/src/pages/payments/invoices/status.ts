import { useQuery } from "@tanstack/react-query";
import { api, body, type Schemas } from "../../../api/client";

/** `unpaid` is one of `pending` and `failed`, if it is not known which. */
export type InvoiceStatus = "paid" | "pending" | "failed" | "unpaid";

type Item = Pick<Schemas["InvoiceItem"], "id" | "is_paid" | "created_at">;

/** The largest page that the service serves. */
const LARGEST_PAGE = 100;

/**
 * Tells which of some invoices have failed. An invoice itself does not say so, but the list has a
 * filter for it: the failed ones of the same time, with the same filters, are asked for.
 */
export function useStatusOf(
  shown: Item[],
  filter: InvoiceFilter,
): (invoice: Item) => InvoiceStatus {
  const unpaid = shown.filter(({ is_paid: isPaid }) => !isPaid);
  const times = unpaid.map(({ created_at: at }) => at).sort();
  const query = {
    ...filter,
    status: "failed" as const,
    is_paid: undefined,
    created_from: times[0],
    created_to: times.at(-1),
    per_page: LARGEST_PAGE,
  };
  const isKnown = filter.status !== undefined;
  const { data } = useQuery({
    queryKey: ["invoices", "failed", query],
    queryFn: async () => {
      const found = await body(api.GET("/api/payment-invoices", { params: { query } }));
      const ids = new Set(found.payment_invoices.map(({ id }) => id));
      return { ids, isComplete: found.pagination.total <= LARGEST_PAGE };
    },
    enabled: !isKnown && unpaid.length > 0,
    placeholderData: (before) => before,
  });
  return ({ id, is_paid: isPaid }) => {
    if (isPaid) {
      return "paid";
    }
    if (filter.status === "pending" || filter.status === "failed") {
      return filter.status;
    }
    if (data?.ids.has(id) === true) {
      return "failed";
    }
    return data?.isComplete === true ? "pending" : "unpaid";
  };
}

/** The filters of the list, by the names that the service has for them. */
export interface InvoiceFilter {
  status?: "paid" | "pending" | "failed" | undefined;
  is_paid?: boolean | undefined;
  user_id?: number | undefined;
  gateway?: string | undefined;
  currency_id?: number | undefined;
  created_from?: string | undefined;
  created_to?: string | undefined;
  promo_code?: string | undefined;
}
