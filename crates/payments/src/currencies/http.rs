//! Operations of `/api/currencies`.

use serde::Serialize;

use super::{Code, Currency, CurrencyChanges, NewCurrency};
use crate::currencies;
use kernel::auth::permission::{Currencies, CurrenciesRead};
use kernel::http::paging::{ListRequest, Pagination};
use kernel::http::path::Id;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::routing::{ApiRouter, get_with, named, named_failing, post_with};
use kernel::http::{Caller, Writer};
use kernel::list::{ListQuery, ListSpec};
use kernel::schema::JsonSchema;
use kernel::types::money::{Money, Rate};
use kernel::write::etag;
use kernel::{Kernel, Result, input};

#[derive(Serialize, JsonSchema)]
struct CurrencyItem {
    id: i64,
    code: Code,
    #[schemars(with = "kernel::types::money::Plain")]
    minimum_value: Money,
    /// How many units of the base currency one unit is worth.
    #[schemars(with = "kernel::types::money::Plain")]
    exchange_rate: Rate,
}

impl From<Currency> for CurrencyItem {
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
struct CurrencyDetail {
    id: i64,
    code: Code,
    #[schemars(with = "kernel::types::money::Plain")]
    minimum_value: Money,
    /// How many units of the base currency one unit is worth.
    #[schemars(with = "kernel::types::money::Plain")]
    exchange_rate: Rate,
    is_default: bool,
}

impl From<Currency> for CurrencyDetail {
    fn from(currency: Currency) -> Self {
        Self {
            id: currency.id,
            code: currency.code,
            minimum_value: currency.minimum_value,
            exchange_rate: currency.exchange_rate,
            is_default: currency.is_default,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct CurrencyList {
    currencies: Vec<CurrencyItem>,
    pagination: Pagination,
}

#[derive(Serialize, JsonSchema)]
struct SingleCurrency {
    currency: CurrencyDetail,
}

#[derive(Serialize, JsonSchema)]
struct CurrencyReply {
    message: &'static str,
    currency: CurrencyItem,
}

#[derive(Serialize, JsonSchema)]
struct CurrencyDetailReply {
    message: &'static str,
    currency: CurrencyDetail,
}

input! {
    /// The query of the list.
    struct CurrencyPaging {}
}

impl ListQuery for CurrencyPaging {
    const LIST: &'static ListSpec = &ListSpec {
        size_name: "limit",
        has_pagination: true,
        ..ListSpec::PAGED
    };
}

async fn list(
    caller: Caller<CurrenciesRead>,
    request: ListRequest<CurrencyPaging>,
) -> Result<List<CurrencyList>> {
    let mut read = caller.read_alone().await?;
    let total = currencies::count(&mut read).await?;
    let mut found = currencies::list(&mut read, request.window()).await?;
    let headers = request.headers(total, &mut found, |currency| currency.id);
    let body = CurrencyList {
        currencies: found.into_iter().map(CurrencyItem::from).collect(),
        pagination: request.pagination(total),
    };
    List::new(headers, &body)
}

async fn get(caller: Caller<CurrenciesRead>, id: Id) -> Result<Single<SingleCurrency>> {
    let mut read = caller.read().await?;
    let currency = currencies::get(&mut read, id.0).await?;
    let tag = etag::of(&currency);
    let currency = currency.into();
    caller.single(tag, &SingleCurrency { currency })
}

async fn create(writer: Writer<Currencies, NewCurrency>) -> Result<Created<CurrencyReply>> {
    let explained = writer.explain(currencies::check_new);
    let run = explained.run(async |edit, body| {
        let created = currencies::create(edit, body.valid()?).await?;
        Ok(created.map(|currency| CurrencyReply {
            message: "Currency created.",
            currency: currency.into(),
        }))
    });
    run.await
}

async fn update(
    id: Id,
    writer: Writer<Currencies, CurrencyChanges>,
) -> Result<Done<CurrencyReply>> {
    let explained =
        writer.explain(async |conn, changes| currencies::check_changes(conn, id.0, changes).await);
    let run = explained.run(async |edit, body| {
        let currency = currencies::target(edit, id.0).await?;
        let updated = currencies::update(edit, currency, body.valid()?).await?;
        Ok(updated.map(|currency| CurrencyReply {
            message: "Currency updated.",
            currency: currency.into(),
        }))
    });
    run.await
}

async fn delete(id: Id, writer: Writer<Currencies>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let currency = currencies::target_with_default(edit, id.0).await?;
        let deleted = currencies::delete(edit, currency).await?;
        Ok(deleted.map(|_| Message::new("Currency deleted.")))
    });
    run.await
}

async fn set_default(id: Id, writer: Writer<Currencies>) -> Result<Done<CurrencyDetailReply>> {
    let run = writer.run(async |edit, _| {
        let currency = currencies::target_with_default(edit, id.0).await?;
        let changed = currencies::set_default(edit, currency).await?;
        Ok(changed.map(|currency| CurrencyDetailReply {
            message: "Default currency set.",
            currency: currency.into(),
        }))
    });
    run.await
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/currencies",
            get_with(list, named("listCurrencies", "List currencies"))
                .post_with(create, named("createCurrency", "Create a currency")),
        )
        .api_route(
            "/api/currencies/{id}",
            get_with(get, named("getCurrency", "Show a currency"))
                .put_with(update, named("updateCurrency", "Change a currency"))
                .delete_with(
                    delete,
                    named_failing(
                        "deleteCurrency",
                        "Delete a currency",
                        409,
                        "Invoices use the currency, or it is the default and others exist.",
                    ),
                ),
        )
        .api_route(
            "/api/currencies/{id}/default",
            post_with(
                set_default,
                named("setDefaultCurrency", "Make a currency the default"),
            ),
        )
        .with_path_items(|item| item.tag("Currencies"))
}
