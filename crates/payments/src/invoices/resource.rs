//! The invoice, and the request bodies that create and change it.

use serde::Serialize;

use crate::currencies::Code;
use crate::gateways::GatewayKey;
use kernel::input;
use kernel::input::{Fault, Nullable, Patch, Place, Positive, Raw, Rule, Text, text_that};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::types::money::{Money, Price};
use kernel::write::Resource;

#[derive(Clone, Debug, Serialize)]
pub struct Invoice {
    pub id: i64,
    pub user_id: i64,
    /// The gateway's key.
    pub gateway: String,
    pub transaction_id: Option<String>,
    /// The amount to pay, after any discount.
    pub amount: Money,
    pub original_amount: Money,
    pub promo: Option<AppliedPromo>,
    pub currency_id: i64,
    pub currency: Code,
    pub is_paid: bool,
    pub paid_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
    pub failed_reason: String,
    /// The product that is bought, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Order>,
    /// Set if it was refunded since it was last paid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refund: Option<Refund>,
    #[serde(skip)]
    pub gateway_id: i64,
    #[serde(skip)]
    pub created_at: Timestamp,
}

/// The promo code of an invoice.
#[derive(Clone, Debug, Serialize)]
pub struct AppliedPromo {
    pub id: i64,
    pub code: String,
}

/// The product of an invoice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Order {
    pub product_id: i64,
    /// The user who gets it.
    pub recipient_id: i64,
    /// The server that the buyer chose.
    pub server_id: Option<i64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Refund {
    pub kind: RefundKind,
    pub at: Timestamp,
}

/// Why the money went back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum RefundKind {
    Refund,
    Chargeback,
}

impl RefundKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Refund => "refund",
            Self::Chargeback => "chargeback",
        }
    }

    pub fn from_stored(name: &str) -> Option<Self> {
        let mut kinds = [Self::Refund, Self::Chargeback].into_iter();
        kinds.find(|kind| kind.as_str() == name)
    }
}

impl Rule for RefundKind {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_known = |text: &str| Self::from_stored(text).is_some();
        let fault = Fault::not_one_of(&["refund", "chargeback"]);
        let name = text_that(raw, place, is_known, fault)?;
        Self::from_stored(&name)
    }
}

impl Resource for Invoice {
    const PLURAL: &'static str = "payment_invoices";
    const SINGULAR: &'static str = "payment invoice";

    fn id(&self) -> i64 {
        self.id
    }

    fn user_id(&self) -> Option<i64> {
        Some(self.user_id)
    }
}

type TransactionId = Text<1, 255>;
pub type Reason = Text<0, 1000>;

input! {
    /// An invoice to create.
    pub struct NewInvoice {
        user_id: Positive,
        /// The key of a payment gateway. An unknown one is registered.
        gateway: GatewayKey,
        /// Before any discount; at least the minimum of the currency. With a product, its price,
        /// and may be absent.
        amount: Patch<Price>,
        currency_id: Positive,
        /// A promo code, ignoring case.
        promo_code: Option<Text<1, 50>>,
        /// The product to buy.
        product_id: Option<Positive>,
        /// The user who gets the product; by default the one who pays.
        recipient_id: Option<Positive>,
        /// The server that the product is for, if it lets the buyer choose one.
        server_id: Option<Positive>,
    }
}

input! {
    /// The payment status of an invoice.
    pub struct InvoiceStatusChange {
        is_paid: bool,
        /// The gateway's id of the payment. Kept if absent; null clears it.
        transaction_id: Patch<Nullable<TransactionId>>,
    }
}

input! {
    /// The reason why an invoice failed.
    pub struct InvoiceFailure {
        reason: Option<Reason>,
    }
}

input! {
    /// Why the money of a paid invoice went back.
    pub struct InvoiceRefund {
        kind: RefundKind,
        reason: Option<Reason>,
    }
}
