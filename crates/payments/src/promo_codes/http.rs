//! Operations of `/api/promo-codes`.

use serde::Serialize;

use super::{
    Eligibility, Kind, NewPromoCode, PromoCode, PromoCodeChanges, PromoCodePage, PromoCodeTrial,
};
use crate::promo_codes;
use kernel::auth::permission::{Payments, PaymentsRead};
use kernel::http::body::Body;
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::routing::{ApiRouter, get_with, named, named_failing, post_with};
use kernel::http::{Caller, Writer};
use kernel::input::{Fault, Faults, ListedFault};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::types::money::Money;
use kernel::write::etag;
use kernel::{Kernel, Result};

#[derive(Serialize, JsonSchema)]
struct PromoCodeItem {
    id: i64,
    code: String,
    r#type: Kind,
    #[schemars(with = "kernel::types::money::Plain")]
    value: Money,
    max_usages: Option<i64>,
    max_uses_per_user: Option<i64>,
    #[schemars(with = "Option<kernel::types::money::Plain>")]
    minimum_amount: Option<Money>,
    starts_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
    /// The roles whose holders may use it.
    role_ids: Vec<i64>,
    active: bool,
    created_at: Timestamp,
    /// How many invoices use it.
    usages_count: i64,
}

impl From<PromoCode> for PromoCodeItem {
    fn from(promo: PromoCode) -> Self {
        Self {
            id: promo.id,
            code: promo.code,
            r#type: promo.kind,
            value: promo.value,
            max_usages: promo.max_usages,
            max_uses_per_user: promo.max_uses_per_user,
            minimum_amount: promo.minimum_amount,
            starts_at: promo.starts_at,
            expires_at: promo.expires_at,
            role_ids: promo.role_ids,
            active: promo.active,
            created_at: promo.created_at,
            usages_count: promo.usages_count,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct PromoCodeList {
    promo_codes: Vec<PromoCodeItem>,
}

#[derive(Serialize, JsonSchema)]
struct SinglePromoCode {
    promo_code: PromoCodeItem,
}

#[derive(Serialize, JsonSchema)]
struct PromoCodeReply {
    message: &'static str,
    promo_code: PromoCodeItem,
}

#[derive(Serialize, JsonSchema)]
struct PromoCodeTrialReply {
    valid: bool,
    /// Why an invoice would be rejected; null if it would be accepted.
    reason: Option<String>,
    /// The same for programs; empty if it would be accepted.
    faults: Vec<ListedFault>,
    #[schemars(with = "kernel::types::money::Plain")]
    discount: Money,
    /// The amount to pay, after the discount.
    #[schemars(with = "kernel::types::money::Plain")]
    amount: Money,
}

impl PromoCodeTrialReply {
    fn new(amount: Money, eligibility: Eligibility) -> Self {
        let discount = eligibility.as_ref().copied().unwrap_or_default();
        let fault = eligibility.err();
        Self {
            valid: fault.is_none(),
            reason: fault.as_ref().map(Fault::to_string),
            faults: fault.map_or_else(Vec::new, |fault| Faults::one("promo_code", fault).list()),
            discount,
            amount: amount.less(discount),
        }
    }
}

async fn list(
    caller: Caller<PaymentsRead>,
    request: ListRequest<PromoCodePage>,
) -> Result<List<PromoCodeList>> {
    let mut read = caller.read_alone().await?;
    let total = promo_codes::count(&mut read, &request.filters).await?;
    let mut found = promo_codes::list(&mut read, &request.filters, request.window()).await?;
    let headers = request.headers(total, &mut found, |promo| promo.id);
    let promo_codes = found.into_iter().map(PromoCodeItem::from).collect();
    List::new(headers, &PromoCodeList { promo_codes })
}

async fn get(caller: Caller<PaymentsRead>, id: Id) -> Result<Single<SinglePromoCode>> {
    let mut read = caller.read().await?;
    let promo = promo_codes::get(&mut read, id.0).await?;
    let tag = etag::of(&promo);
    let promo_code = promo.into();
    // The entity tag does not cover `usages_count`: invoices change it.
    caller.single_with_others(&tag, &SinglePromoCode { promo_code })
}

async fn create(writer: Writer<Payments, NewPromoCode>) -> Result<Created<PromoCodeReply>> {
    let explained = writer.explain(promo_codes::check_new);
    let run = explained.run(async |edit, body| {
        let created = promo_codes::create(edit, body.valid()?).await?;
        Ok(created.map(|promo| PromoCodeReply {
            message: "Promo code created.",
            promo_code: promo.into(),
        }))
    });
    run.await
}

async fn update(
    id: Id,
    writer: Writer<Payments, PromoCodeChanges>,
) -> Result<Done<PromoCodeReply>> {
    let explained =
        writer.explain(async |conn, changes| promo_codes::check_changes(conn, id.0, changes).await);
    let run = explained.run(async |edit, body| {
        let promo = promo_codes::target(edit, id.0).await?;
        let updated = promo_codes::update(edit, promo, body.valid()?).await?;
        Ok(updated.map(|promo| PromoCodeReply {
            message: "Promo code updated.",
            promo_code: promo.into(),
        }))
    });
    run.await
}

async fn delete(id: Id, writer: Writer<Payments>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let promo = promo_codes::target(edit, id.0).await?;
        let deleted = promo_codes::delete(edit, promo).await?;
        Ok(deleted.map(|_| Message::new("Promo code deleted.")))
    });
    run.await
}

async fn validate(
    caller: Caller<PaymentsRead>,
    id: Id,
    body: Body<PromoCodeTrial>,
) -> Result<Done<PromoCodeTrialReply>> {
    caller.confirm().await?;
    let mut read = caller.read_alone().await?;
    let promo = promo_codes::get(&mut read, id.0).await?;
    let trial = body.valid()?;
    let eligibility = promo_codes::validate(&mut read, &promo, &trial, caller.now()).await?;
    Done::new(&PromoCodeTrialReply::new(trial.amount.0, eligibility))
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/promo-codes",
            get_with(list, named("listPromoCodes", "List promo codes"))
                .post_with(create, named("createPromoCode", "Create a promo code")),
        )
        .api_route(
            "/api/promo-codes/{id}",
            get_with(get, named("getPromoCode", "Show a promo code"))
                .put_with(update, named("updatePromoCode", "Change a promo code"))
                .delete_with(
                    delete,
                    named_failing(
                        "deletePromoCode",
                        "Delete an unused promo code",
                        409,
                        "Invoices use the promo code.",
                    ),
                ),
        )
        .api_route(
            "/api/promo-codes/{id}/validate",
            post_with(
                validate,
                named_failing(
                    "validatePromoCode",
                    "Validate a promo code for a purchase, without using it",
                    404,
                    "There is no such promo code or user; `code` says which.",
                ),
            ),
        )
        .with_path_items(|item| item.tag("Promo codes"))
}
