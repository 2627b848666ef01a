//! Operations of invoices.

use serde::Serialize;

use super::{
    Included, Invoice, InvoiceFailure, InvoiceFilters, InvoiceRefund, InvoiceStatusChange,
    NewInvoice, RefundKind,
};
use crate::currencies::{self, Code, Currency};
use crate::grants::GrantState;
use crate::invoices;
use crate::promo_codes::{self, Kind, PromoCode};
use accounts::users::{self, Brief};
use kernel::auth::permission::{Confirmed, Payments, PaymentsRead};
use kernel::http::export::{Export, ExportFile, ExportRequest};
use kernel::http::paging::{ListRequest, Pagination};
use kernel::http::path::Id;
use kernel::http::query::Query;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::routing::{ApiRouter, get_with, named, named_failing, post_with, put_with};
use kernel::http::{Caller, Writer};
use kernel::input::{Fault, Faults, Place, Raw, Rule, text_that};
use kernel::list::{ListQuery, ListSpec, Order, read_after};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::types::money::{Money, Rate};
use kernel::write::{Resource, etag};
use kernel::{Error, Kernel, Result, inline_schema, input};

/// Defines a body of an invoice: the common fields, then those given.
///
/// `#[serde(flatten)]` would write each field as an entry of a map, which is slower in a list.
macro_rules! invoice_body {
    (struct $name:ident {
        $($(#[$attribute:meta])* $field:ident: $type:ty,)*
    }) => {
        #[derive(Serialize, JsonSchema)]
        struct $name {
            id: i64,
            user_id: i64,
            /// The key of the payment gateway.
            gateway: String,
            transaction_id: Option<String>,
            /// The amount to pay, after any discount.
            #[schemars(with = "kernel::types::money::Plain")]
            amount: Money,
            #[schemars(with = "kernel::types::money::Plain")]
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
            /// Only with `include=product`; null if the invoice has none.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Option<InvoiceProduct>", default)]
            product: Option<Option<InvoiceProduct>>,
            /// Only with `include=product`: the user who gets the product.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Option<i64>", default)]
            recipient_id: Option<Option<i64>>,
            /// Only with `include=product`: the server that the buyer chose.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Option<i64>", default)]
            server_id: Option<Option<i64>>,
            /// Only with `include=product`: the last grant of the invoice.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Option<InvoiceGrant>", default)]
            grant: Option<Option<InvoiceGrant>>,
            /// Only with `include=product`; null unless it was refunded since it was last paid.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schemars(with = "Option<InvoiceRefundItem>", default)]
            refund: Option<Option<InvoiceRefundItem>>,
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
                    product: None,
                    recipient_id: None,
                    server_id: None,
                    grant: None,
                    refund: None,
                }
            }

            /// Adds what `include=product` shows.
            fn with_product(self, included: Included) -> Self {
                let Included {
                    order,
                    product,
                    grant,
                    refund,
                } = included;
                Self {
                    product: Some(product.map(|(id, name)| InvoiceProduct { id, name })),
                    recipient_id: Some(order.map(|order| order.recipient_id)),
                    server_id: Some(order.and_then(|order| order.server_id)),
                    grant: Some(grant.map(|(id, state)| InvoiceGrant { id, state })),
                    refund: Some(refund.map(|refund| InvoiceRefundItem {
                        kind: refund.kind,
                        at: refund.at,
                    })),
                    ..self
                }
            }
        }
    };
}

invoice_body! {
    struct InvoiceItem {
        /// Only when a promo code was applied.
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
        /// Only when a promo code was applied.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(with = "InvoicePromoCode", default)]
        promo_code: Option<InvoicePromoCode>,
        currency: InvoiceCurrency,
    }
}

#[derive(Serialize, JsonSchema)]
struct InvoiceProduct {
    id: i64,
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct InvoiceGrant {
    id: i64,
    state: GrantState,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "InvoiceRefunded")]
struct InvoiceRefundItem {
    kind: RefundKind,
    at: Timestamp,
}

input! {
    /// Optional parts of an invoice to show.
    struct InvoiceQuery {
        /// `product` adds `product`, `recipient_id`, `server_id`, `grant` and `refund`.
        include: Option<IncludeProduct>,
    }
}

input! {
    /// Filters, and optional parts to show.
    struct InvoiceListQuery {
        /// `product` adds `product`, `recipient_id`, `server_id`, `grant` and `refund`.
        include: Option<IncludeProduct>,
    }
    with filters: InvoiceFilters
}

impl ListQuery for InvoiceListQuery {
    const LIST: &'static ListSpec = InvoiceFilters::LIST;

    fn check(&self, order: Order, faults: &mut Faults) {
        self.filters.check(order, faults);
    }
}

/// The value of `include`. `product` is the only one.
#[derive(Clone, Copy, Debug)]
struct IncludeProduct;

impl Rule for IncludeProduct {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_known = |text: &str| text == "product";
        text_that(raw, place, is_known, Fault::not_one_of(&["product"])).map(|_| Self)
    }
}

inline_schema!(IncludeProduct, { "type": "string", "enum": ["product"] });

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
    #[schemars(with = "kernel::types::money::Plain")]
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
    #[schemars(with = "kernel::types::money::Plain")]
    minimum_value: Money,
    /// How many units of the base currency one unit is worth.
    #[schemars(with = "kernel::types::money::Plain")]
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

#[derive(Serialize, JsonSchema)]
struct InvoiceList {
    payment_invoices: Vec<InvoiceItem>,
    pagination: Pagination,
}

async fn list(
    caller: Caller<PaymentsRead>,
    request: ListRequest<InvoiceListQuery>,
) -> Result<List<InvoiceList>> {
    let mut read = caller.read_alone().await?;
    let list = invoices::list(&request.filters.filters, request.order);
    let (found, headers) = request.read(&mut read, &list).await?;
    let included = match request.filters.include {
        Some(IncludeProduct) => invoices::included(&mut read, &found).await?,
        None => Vec::new(),
    };
    let items = found.into_iter().map(InvoiceItem::from);
    let payment_invoices = match request.filters.include {
        Some(IncludeProduct) => items
            .zip(included)
            .map(|(item, included)| item.with_product(included))
            .collect(),
        None => items.collect(),
    };
    let body = InvoiceList {
        payment_invoices,
        pagination: request.pagination(headers.total.number()),
    };
    List::new(headers, &body)
}

const EXPORT: ExportFile = ExportFile {
    name: "payment-invoices",
    resource: Invoice::PLURAL,
    columns: &[
        "id",
        "user_id",
        "gateway",
        "transaction_id",
        "amount",
        "original_amount",
        "promo_code_id",
        "promo_code",
        "currency_id",
        "currency",
        "is_paid",
        "paid_at",
        "created_at",
    ],
    batch: 500,
};

async fn export(
    caller: Caller<Confirmed<PaymentsRead>>,
    request: ExportRequest<InvoiceFilters>,
) -> Result<Export> {
    let export = Export::begin(&caller, request, EXPORT, |request, conn, _, after| {
        Box::pin(async move {
            let list = invoices::list(&request.filters, request.order);
            read_after::<_, InvoiceItem>(conn, &list, after, EXPORT.batch).await
        })
    });
    export.await
}

async fn get(
    caller: Caller<PaymentsRead>,
    id: Id,
    Query(query): Query<InvoiceQuery>,
) -> Result<Single<SingleInvoice>> {
    let mut read = caller.read().await?;
    let invoice = invoices::get(&mut read, id.0).await?;
    let included = match query.include {
        Some(IncludeProduct) => {
            let invoices = std::slice::from_ref(&invoice);
            invoices::included(&mut read, invoices).await?.pop()
        }
        None => None,
    };
    let user = users::brief(&mut read, invoice.user_id).await?;
    let promo_code = match &invoice.promo {
        Some(promo) => Some(promo_codes::get(&mut read, promo.id).await?.into()),
        None => None,
    };
    let currency = currencies::get(&mut read, invoice.currency_id).await?;
    let user = user.ok_or(Error::NotFound("user"))?.into();
    let tag = etag::of(&invoice);
    let mut payment_invoice = InvoiceDetail::new(invoice, user, promo_code, currency.into());
    if let Some(included) = included {
        payment_invoice = payment_invoice.with_product(included);
    }
    let body = SingleInvoice { payment_invoice };
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
        let payment = invoices::payment(edit, id.0).await?;
        let changed = invoices::set_status(edit, payment, body.valid()?).await?;
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

async fn refund(id: Id, writer: Writer<Payments, InvoiceRefund>) -> Result<Done<InvoiceReply>> {
    let run = writer.run(async |edit, body| {
        let payment = invoices::payment(edit, id.0).await?;
        let refunded = invoices::refund(edit, payment, body.valid()?).await?;
        Ok(refunded.map(|invoice| InvoiceReply::new("Invoice refunded.", invoice)))
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

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/payment-invoices",
            get_with(list, named("listPaymentInvoices", "List invoices")).post_with(
                create,
                named_failing(
                    "createPaymentInvoice",
                    "Create an invoice",
                    404,
                    "There is no such user, product, currency or promo code; `code` says which.",
                ),
            ),
        )
        .api_route(
            "/api/payment-invoices/export",
            get_with(
                export,
                named("exportPaymentInvoices", "Export invoices as CSV or NDJSON"),
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
        .api_route(
            "/api/payment-invoices/{id}/refund",
            post_with(
                refund,
                named_failing(
                    "refundPaymentInvoice",
                    "Record a refund, and take the product back",
                    409,
                    "The invoice is not paid.",
                ),
            ),
        )
        .with_path_items(|item| item.tag("Payment invoices"))
}
