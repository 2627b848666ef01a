/** The list of invoices with filters. */
export function invoicesPath(filter: Record<string, string | number | boolean>): string {
  return `/invoices?${new URLSearchParams({ filter: JSON.stringify(filter) })}`;
}
