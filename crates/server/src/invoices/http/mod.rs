//! Operations on single invoices. [`listing`] has the list and the export.

mod listing;

use aide::axum::ApiRouter;
use aide::axum::routing::{get_with, post_with, put_with};
use schemars::JsonSchema;
use serde::Serialize;

use super::{Invoice, InvoiceFailure, InvoiceStatusChange, NewInvoice};
use crate::app::App;
use crate::currencies::{self, Code, Currency};
use crate::invoices;
use crate::promo_codes::{self, Kind, PromoCode};
use crate::users::{self, Brief};
use kernel::auth::permission::{Payments, PaymentsRead};
use kernel::http::openapi::{named, named_failing};
use kernel::http::path::Id;
use kernel::http::reply::{Created, Done, Message, Single};
use kernel::http::{Caller, Writer};
use kernel::types::Timestamp;
use kernel::types::money::{Money, Plain, Rate};
use kernel::write::etag;
use kernel::{Error, Result};

/// Defines the body of an invoice: the fields that every such body has, then its own.
///
/// Not by `#[serde(flatten)]`, which writes each field as an entry of a map and is slower in a list.
macro_rules! invoice_body {
    ($visibility:vis struct $name:ident {
        $($(#[$attribute:meta])* $field:ident: $type:ty,)*
    }) => {
        #[derive(Serialize, JsonSchema)]
        $visibility struct $name {
            id: i64,
            user_id: i64,
            /// The key of the payment gateway.
            gateway: String,
            transaction_id: Option<String>,
            /// The amount to pay, after any discount.
            #[schemars(with = "Plain")]
            amount: Money,
            #[schemars(with = "Plain")]
            original_amount: Money,
            /// Only when a promo code was applied.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "i64", default)]
            promo_code_id: Option<i64>,
            currency_id: i64,
            is_paid: bool,
            paid_at: Option<Timestamp>,
            created_at: Timestamp,
            $($(#[$attribute])* $field: $type,)*
        }

        impl $name {
            fn new(invoice: Invoice, $($field: $type),*) -> Self {
                Self {
                    id: invoice.id,
                    user_id: invoice.user_id,
                    gateway: invoice.gateway,
                    transaction_id: invoice.transaction_id,
                    amount: invoice.amount,
                    original_amount: invoice.original_amount,
                    promo_code_id: invoice.promo.map(|promo| promo.id),
                    currency_id: invoice.currency_id,
                    is_paid: invoice.is_paid,
                    paid_at: invoice.paid_at,
                    created_at: invoice.created_at,
                    $($field,)*
                }
            }
        }
    };
}

invoice_body! {
    pub struct InvoiceItem {
        /// Only when one was applied.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "String", default)]
        promo_code: Option<String>,
        currency: Code,
    }
}

impl From<Invoice> for InvoiceItem {
    fn from(invoice: Invoice) -> Self {
        let promo_code = invoice.promo.as_ref().map(|promo| promo.code.clone());
        let currency = invoice.currency.clone();
        Self::new(invoice, promo_code, currency)
    }
}

invoice_body! {
    struct InvoiceDetail {
        user: InvoiceUser,
        /// Only when one was applied.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "InvoicePromoCode", default)]
        promo_code: Option<InvoicePromoCode>,
        currency: InvoiceCurrency,
    }
}

#[derive(Serialize, JsonSchema)]
struct InvoiceUser {
    id: i64,
    name: String,
    email: String,
}

impl From<Brief> for InvoiceUser {
    fn from(user: Brief) -> Self {
        Self {
            id: user.id,
            name: user.username,
            email: user.email,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct InvoicePromoCode {
    id: i64,
    code: String,
    r#type: Kind,
    #[schemars(with = "Plain")]
    value: Money,
}

impl From<PromoCode> for InvoicePromoCode {
    fn from(promo: PromoCode) -> Self {
        Self {
            id: promo.id,
            code: promo.code,
            r#type: promo.kind,
            value: promo.value,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct InvoiceCurrency {
    id: i64,
    code: Code,
    #[schemars(with = "Plain")]
    minimum_value: Money,
    /// How many units of the base currency one unit is worth.
    #[schemars(with = "Plain")]
    exchange_rate: Rate,
}

impl From<Currency> for InvoiceCurrency {
    fn from(currency: Currency) -> Self {
        Self {
            id: currency.id,
            code: currency.code,
            minimum_value: currency.minimum_value,
            exchange_rate: currency.exchange_rate,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct SingleInvoice {
    payment_invoice: InvoiceDetail,
}

#[derive(Serialize, JsonSchema)]
struct InvoiceReply {
    message: &'static str,
    payment_invoice: InvoiceItem,
}

impl InvoiceReply {
    fn new(message: &'static str, invoice: Invoice) -> Self {
        Self {
            message,
            payment_invoice: invoice.into(),
        }
    }
}

async fn get(caller: Caller<PaymentsRead>, id: Id) -> Result<Single<SingleInvoice>> {
    let mut read = caller.read().await?;
    let invoice = invoices::get(&mut read, id.0).await?;
    let user = users::brief(&mut read, invoice.user_id).await?;
    let promo_code = match &invoice.promo {
        Some(promo) => Some(promo_codes::get(&mut read, promo.id).await?.into()),
        None => None,
    };
    let currency = currencies::get(&mut read, invoice.currency_id).await?;
    let user = user.ok_or(Error::NotFound("user"))?.into();
    let tag = etag::of(&invoice);
    let body = SingleInvoice {
        payment_invoice: InvoiceDetail::new(invoice, user, promo_code, currency.into()),
    };
    caller.single_with_others(&tag, &body)
}

async fn create(writer: Writer<Payments, NewInvoice>) -> Result<Created<InvoiceReply>> {
    let now = writer.now();
    let explained = writer.explain(async |conn, new| invoices::check_new(conn, now, new).await);
    let run = explained.run(async |edit, body| {
        let created = invoices::create(edit, body.valid()?).await?;
        Ok(created.map(|invoice| InvoiceReply::new("Invoice created.", invoice)))
    });
    run.await
}

async fn set_status(
    id: Id,
    writer: Writer<Payments, InvoiceStatusChange>,
) -> Result<Done<InvoiceReply>> {
    let run = writer.run(async |edit, body| {
        let invoice = invoices::target(edit, id.0).await?;
        let changed = invoices::set_status(edit, invoice, body.valid()?).await?;
        Ok(changed.map(|invoice| InvoiceReply::new("Invoice status updated.", invoice)))
    });
    run.await
}

async fn fail(
    id: Id,
    writer: Writer<Payments, Option<InvoiceFailure>>,
) -> Result<Done<InvoiceReply>> {
    let run = writer.run(async |edit, body| {
        let invoice = invoices::target(edit, id.0).await?;
        let reason = body.valid()?.and_then(|failure| failure.reason);
        let failed = invoices::fail(edit, invoice, reason.unwrap_or_default()).await?;
        Ok(failed.map(|invoice| InvoiceReply::new("Invoice marked as failed.", invoice)))
    });
    run.await
}

async fn delete(id: Id, writer: Writer<Payments>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let invoice = invoices::target(edit, id.0).await?;
        let deleted = invoices::delete(edit, invoice).await?;
        Ok(deleted.map(|_| Message::new("Invoice deleted.")))
    });
    run.await
}

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/payment-invoices",
            post_with(
                create,
                named_failing(
                    "createPaymentInvoice",
                    "Create an invoice",
                    404,
                    "There is no such user, currency or promo code; `code` says which.",
                ),
            ),
        )
        .api_route(
            "/api/payment-invoices/{id}",
            get_with(get, named("getPaymentInvoice", "Show an invoice")).delete_with(
                delete,
                named("deletePaymentInvoice", "Delete an unpaid invoice"),
            ),
        )
        .api_route(
            "/api/payment-invoices/{id}/status",
            put_with(
                set_status,
                named(
                    "setPaymentInvoiceStatus",
                    "Set the payment status of an invoice",
                ),
            ),
        )
        .api_route(
            "/api/payment-invoices/{id}/fail",
            post_with(
                fail,
                named("failPaymentInvoice", "Mark an unpaid invoice as failed"),
            ),
        )
        .merge(listing::routes())
        .with_path_items(|item| item.tag("Payment invoices"))
}
