import { useListContext } from "react-admin";
import { type InvoiceFilter, useStatusOf } from "./status";
import type { Invoice } from "./types";

/** Tells the status of the invoices of the list around. Every row asks, one request answers. */
export function useShownStatus() {
  const { data, filterValues } = useListContext<Invoice>();
  return useStatusOf(data ?? [], (filterValues ?? {}) as InvoiceFilter);
}
