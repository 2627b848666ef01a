import { useQuery } from "@tanstack/react-query";
import type { RaRecord } from "react-admin";
import { api, body, type Schemas } from "../../../api/client";
import type { paths } from "../../../api/schema";

/** An invoice of the list. */
export type Invoice = Schemas["InvoiceItem"] & RaRecord;

/** An invoice with its user, currency and promo code. */
export type InvoiceRecord = Schemas["InvoiceDetail"] & RaRecord & { _etag?: string };

/**
 * Invoices whose money went back have failed for the service; here they have a status of their own.
 * `unpaid` is one that is not paid, if it is not known why.
 */
export type InvoiceStatus = "paid" | "pending" | "failed" | "refund" | "chargeback" | "unpaid";

type Item = Pick<Schemas["InvoiceItem"], "id" | "is_paid" | "created_at">;

/** The largest page that the service serves. */
const LARGEST_PAGE = 100;

type ListQuery = NonNullable<paths["/api/payment-invoices"]["get"]["parameters"]["query"]>;

/**
 * Reads the status of each failed invoice that the query finds. An invoice itself does not say that
 * it has failed, but the list has a filter for it.
 */
export async function readFailed(query: ListQuery) {
  const failed = { ...query, status: "failed" as const, include: "product" as const };
  const found = await body(
    api.GET("/api/payment-invoices", { params: { query: { ...failed, per_page: LARGEST_PAGE } } }),
  );
  const statuses = new Map<number, InvoiceStatus>(
    found.payment_invoices.map(({ id, refund }) => [id, refund?.kind ?? "failed"]),
  );
  return { statuses, isComplete: found.pagination.total <= LARGEST_PAGE };
}

/** Tells the status of some invoices. The failed ones of the same time and filters are asked for. */
export function useStatusOf(
  shown: Item[],
  filter: InvoiceFilter,
): (invoice: Item) => InvoiceStatus {
  const unpaid = shown.filter(({ is_paid: isPaid }) => !isPaid);
  const times = unpaid.map(({ created_at: at }) => at).sort();
  const query = {
    ...filter,
    is_paid: undefined,
    created_from: times[0],
    created_to: times.at(-1),
  };
  const isKnown = filter.status === "paid" || filter.status === "pending";
  const { data } = useQuery({
    queryKey: ["invoices", "failed", query],
    queryFn: () => readFailed(query),
    enabled: !isKnown && unpaid.length > 0,
    placeholderData: (before) => before,
  });
  return ({ id, is_paid: isPaid }) => {
    if (isPaid) {
      return "paid";
    }
    if (filter.status === "pending") {
      return "pending";
    }
    const other = data?.isComplete === true ? "pending" : "unpaid";
    return data?.statuses.get(id) ?? (filter.status === "failed" ? "failed" : other);
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
