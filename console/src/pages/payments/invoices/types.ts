import type { RaRecord } from "react-admin";
import type { Schemas } from "../../../api/client";

/** An invoice of the list. */
export type Invoice = Schemas["InvoiceItem"] & RaRecord;

/** An invoice with its user, currency and promo code. */
export type InvoiceRecord = Schemas["InvoiceDetail"] & RaRecord & { _etag?: string };
