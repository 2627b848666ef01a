//! Payment invoices: who owes how much, through which gateway, and whether it is paid.

pub mod http;
mod input;
mod listing;
mod load;
mod overdue;
pub mod statistics;
mod status;
mod store;

use db::Conn;
use serde::Serialize;

pub use self::input::{InvoiceFailure, InvoiceStatusChange, NewInvoice};
pub use self::listing::{InvoiceFilters, InvoiceKey, count, list, list_and_count};
pub use self::load::{first_id, load};
pub use self::overdue::fail_unpaid_since;
pub use self::status::{InvoiceStatus, fail, set_status};

use crate::currencies::{self, Code, Currency};
use crate::gateways::{self, Gateway};
use crate::promo_codes::{self, PromoCode};
use crate::users;
use kernel::input::{Faults, Partial, Positive};
use kernel::types::Timestamp;
use kernel::types::money::{Money, Price};
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Result};

const PAID: Error = Error::Rejected {
    code: ErrorCode::InvoicePaid,
    message: "The invoice is paid. Set its status to unpaid first.",
};

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

impl Resource for Invoice {
    const PLURAL: &'static str = "payment_invoices";
    const SINGULAR: &'static str = "payment invoice";

    fn id(&self) -> i64 {
        self.id
    }
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<Invoice> {
    let invoice = store::find(conn, id).await?;
    invoice.ok_or(Error::NotFound(Invoice::SINGULAR))
}

/// The invoice to change, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Invoice>> {
    store::lock(edit, id).await?;
    let invoice = store::find(edit, id).await?;
    edit.target(invoice)
}

/// Locks the promo code, then the gateway, then the statistics, as every write to invoices does.
pub async fn create(edit: &mut Edit, new: NewInvoice) -> Result<Change<Invoice>> {
    let NewInvoice {
        user_id: Positive(user_id),
        gateway,
        amount: Price(amount),
        currency_id: Positive(currency_id),
        promo_code,
    } = new;
    let missing = |code, what| Error::Missing { code, what };
    users::held(edit, user_id)
        .await?
        .ok_or(missing(ErrorCode::UserNotFound, "user"))?;
    let currency = currencies::find_and_lock(edit, currency_id)
        .await?
        .ok_or(missing(ErrorCode::CurrencyNotFound, "currency"))?;
    let promo = match &promo_code {
        Some(code) => Some(
            promo_codes::find_and_lock(edit, code.as_str())
                .await?
                .ok_or(missing(ErrorCode::PromoCodeNotFound, "promo code"))?,
        ),
        None => None,
    };
    let gateway = gateways::find_or_register(edit, &gateway).await?;
    let discount = check(edit, user_id, amount, &currency, promo.as_ref(), &gateway).await?;

    if let Some(promo) = &promo {
        promo_codes::count_use(edit, promo).await?;
    }
    let mut invoice = Invoice {
        id: 0,
        user_id,
        gateway: gateway.key,
        transaction_id: None,
        amount: amount.less(discount),
        original_amount: amount,
        promo: promo.map(|promo| AppliedPromo {
            id: promo.id,
            code: promo.code,
        }),
        currency_id: currency.id,
        currency: currency.code,
        is_paid: false,
        paid_at: None,
        failed_at: None,
        failed_reason: String::new(),
        gateway_id: gateway.id,
        created_at: edit.now(),
    };
    invoice.id = store::insert(edit, &invoice).await?;
    statistics::update(edit, None, Some(&invoice)).await?;
    Ok(Change::created(invoice))
}

/// Checks the rules that depend on the referenced resources. Returns the discount.
async fn check(
    edit: &mut Edit,
    user_id: i64,
    amount: Money,
    currency: &Currency,
    promo: Option<&PromoCode>,
    gateway: &Gateway,
) -> Result<Money> {
    let mut faults = Faults::default();
    let mut discount = Money::default();
    check_minimum(amount, currency, &mut faults);
    if let Some(promo) = promo {
        let now = edit.now();
        match promo_codes::check_eligibility(edit, promo, Some(user_id), amount, now).await? {
            Ok(allowed) => discount = allowed,
            Err(sentence) => faults.at("promo_code").add(sentence),
        }
    }
    check_enabled(gateway, &mut faults);
    faults.check()?;
    Ok(discount)
}

fn check_minimum(amount: Money, currency: &Currency, faults: &mut Faults) {
    let least = currency.minimum_value;
    if amount < least {
        let sentence = format!("must be at least {least} in this currency");
        faults.at("amount").add(sentence);
    }
}

fn check_enabled(gateway: &Gateway, faults: &mut Faults) {
    if !gateway.enabled {
        faults.at("gateway").add("is disabled");
    }
}

/// The faults of an invoice to create that need the database. Whatever it refers to that does not
/// exist is no fault: once every field is well-formed, that is 404.
pub async fn check_new(
    conn: &mut Conn,
    now: Timestamp,
    new: Partial<NewInvoice>,
) -> Result<Faults> {
    let mut faults = Faults::default();
    let amount = new.amount.map(|Price(amount)| amount);
    if let (Some(amount), Some(Positive(id))) = (amount, new.currency_id) {
        for currency in currencies::by_ids(conn, &[id]).await? {
            check_minimum(amount, &currency, &mut faults);
        }
    }
    if let (Some(amount), Some(Positive(user_id)), Some(Some(code))) =
        (amount, new.user_id, new.promo_code)
        && users::brief(conn, user_id).await?.is_some()
        && let Some(promo) = promo_codes::find(conn, code.as_str()).await?
        && let Err(sentence) =
            promo_codes::check_eligibility(conn, &promo, Some(user_id), amount, now).await?
    {
        faults.at("promo_code").add(sentence);
    }
    if let Some(key) = new.gateway
        && let Some(gateway) = gateways::find(conn, &key).await?
    {
        check_enabled(&gateway, &mut faults);
    }
    Ok(faults)
}

pub async fn delete(edit: &mut Edit, invoice: Target<Invoice>) -> Result<Change<Invoice>> {
    if invoice.is_paid {
        return Err(PAID);
    }
    store::delete(edit, invoice.id).await?;
    if let Some(promo) = &invoice.promo {
        promo_codes::uncount_use(edit, promo.id).await?;
    }
    statistics::update(edit, Some(&invoice), None).await?;
    Ok(Change::deleted(invoice))
}
