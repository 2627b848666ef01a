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
use kernel::http::paging::{Links, Page, Pagination};
use kernel::http::query::Query;
use kernel::http::reply::List;
use kernel::input::Positive;
use kernel::list::{Cursor, Sort, Window};
use kernel::types::Timestamp;
use kernel::{Result, input};

#[derive(Serialize, JsonSchema)]
struct InvoiceList {
    payment_invoices: Vec<InvoiceItem>,
    pagination: Pagination,
}

input! {
    /// Which page of which invoices.
    struct InvoicePage {
        /// The page, from 1.
        page: Option<Positive>,
        /// How many items a page has, 20 unless said otherwise; above 100 is served as 100.
        per_page: Option<Positive>,
        /// Items after this place in the list, in the same order; `Link` carries it.
        after: Option<Cursor<InvoiceKey>>,
    }
    with filters: InvoiceFilters
}

input! {
    /// Which invoices to export, and how.
    struct InvoiceExport {
        /// `csv` or `ndjson`; otherwise `Accept` decides, and CSV is the default.
        format: Option<Format>,
    }
    with filters: InvoiceFilters
}

async fn list(
    caller: Caller<PaymentsRead>,
    links: Links,
    Query(query): Query<InvoicePage>,
) -> Result<List<InvoiceList>> {
    let InvoicePage {
        page,
        per_page,
        after,
        filters,
    } = query;
    let page = Page::new(links, page, per_page, after.is_some()).counted();
    let mut read = caller.read_alone().await?;
    let window = page.window(after);
    let (mut found, total) = invoices::list_and_count(&mut read, &filters, window).await?;
    let place = page.place(total, &mut found, |invoice| filters.sort().cursor(invoice));
    let body = InvoiceList {
        payment_invoices: found.into_iter().map(InvoiceItem::from).collect(),
        pagination: page.pagination(total),
    };
    List::new(place, &body)
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
        window: &Window<Option<Cursor<InvoiceKey>>>,
    ) -> Result<Vec<Invoice>> {
        invoices::list(conn, self, window).await
    }
}

async fn export(
    caller: Caller<PaymentsRead>,
    Query(query): Query<InvoiceExport>,
    accept: Accept,
) -> Result<Export> {
    let format = Format::chosen(query.format, &accept)?;
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
