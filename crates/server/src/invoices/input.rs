//! Request bodies of invoices, and the rules of their fields.

use crate::gateways::GatewayKey;
use kernel::input;
use kernel::input::{Nullable, Patch, Positive, Text};
use kernel::types::money::Price;

type TransactionId = Text<1, 255>;
pub type Reason = Text<0, 1000>;

input! {
    /// An invoice to create.
    pub struct NewInvoice {
        user_id: Positive,
        /// The key of a payment gateway. An unknown one is registered.
        gateway: GatewayKey,
        /// Before any discount; at least the minimum of the currency.
        amount: Price,
        currency_id: Positive,
        /// A promo code, ignoring case.
        promo_code: Option<Text<1, 50>>,
    }
}

input! {
    /// Whether an invoice is paid.
    pub struct InvoiceStatusChange {
        is_paid: bool,
        /// The gateway's id of the payment. Kept if absent; null clears it.
        transaction_id: Patch<Nullable<TransactionId>>,
    }
}

input! {
    /// Why an invoice failed.
    pub struct InvoiceFailure {
        reason: Option<Reason>,
    }
}
