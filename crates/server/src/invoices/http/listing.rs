use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use db::Conn;
use schemars::JsonSchema;
use serde::Serialize;

use super::InvoiceItem;
use crate::app::App;
use crate::invoices::{self, Invoice, InvoiceFilters, InvoiceKey};
use kernel::auth::permission::PaymentsRead;
use kernel::http::Caller;
use kernel::http::accept::Accept;
use kernel::http::export::{Export, Exported, Format};
use kernel::http::openapi::named;
use kernel::http::paging::{ListRequest, Pagination};
use kernel::http::query::Query;
use kernel::http::reply::List;
use kernel::list::{Cursor, CursorWindow, Filtered, Paging, Sort, WithPagination};
use kernel::types::Timestamp;
use kernel::{Result, input};

#[derive(Serialize, JsonSchema)]
struct InvoiceList {
    payment_invoices: Vec<InvoiceItem>,
    pagination: Pagination,
}

input! {
    /// Which invoices to export, and how.
    struct InvoiceExport {
        /// `csv` or `ndjson`. By default `Accept` decides; without it, CSV.
        format: Option<Format>,
    }
    with filters: InvoiceFilters
}

type InvoicePaging = Paging<Cursor<InvoiceKey>, WithPagination>;

async fn list(
    caller: Caller<PaymentsRead>,
    request: ListRequest<Filtered<InvoicePaging, InvoiceFilters>>,
) -> Result<List<InvoiceList>> {
    let filters = &request.query.filters;
    let mut read = caller.read_alone().await?;
    let (mut found, total) = invoices::list_and_count(&mut read, filters, request.window()).await?;
    let headers = request.headers(total, &mut found, |invoice| filters.sort().cursor(invoice));
    let body = InvoiceList {
        payment_invoices: found.into_iter().map(InvoiceItem::from).collect(),
        pagination: request.pagination(total),
    };
    List::new(headers, &body)
}

impl Exported for InvoiceFilters {
    const NAME: &'static str = "payment-invoices";
    const COLUMNS: &'static [&'static str] = &[
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
    ];
    type Key = InvoiceKey;
    type Item = Invoice;
    type Row = InvoiceItem;

    fn sort(&self) -> Sort<InvoiceKey> {
        InvoiceFilters::sort(self)
    }

    async fn read(
        &self,
        conn: &mut Conn,
        _: Timestamp,
        window: &CursorWindow<InvoiceKey>,
    ) -> Result<Vec<Invoice>> {
        invoices::list(conn, self, window).await
    }
}

async fn export(
    caller: Caller<PaymentsRead>,
    Query(query): Query<InvoiceExport>,
    accept: Accept,
) -> Result<Export> {
    let format = Format::choose(query.format, &accept)?;
    Export::begin(&caller, format, query.filters).await
}

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/payment-invoices",
            get_with(list, named("listPaymentInvoices", "List invoices")),
        )
        .api_route(
            "/api/payment-invoices/export",
            get_with(
                export,
                named("exportPaymentInvoices", "Export invoices as CSV or NDJSON"),
            ),
        )
}
