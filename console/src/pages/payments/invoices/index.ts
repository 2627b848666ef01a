export { InvoiceCreate } from "./InvoiceCreate";
export { InvoiceList } from "./InvoiceList";
export { InvoicePage } from "./InvoicePage";
