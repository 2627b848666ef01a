export function InvoiceList() {
  return <h1>InvoiceList</h1>;
}

export function InvoiceCreate() {
  return <h1>InvoiceCreate</h1>;
}

export function InvoicePage() {
  return <h1>InvoicePage</h1>;
}
