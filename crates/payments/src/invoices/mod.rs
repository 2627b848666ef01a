//! Payment invoices: who owes how much, through which gateway, and whether it is paid.

pub mod http;
mod included;
mod listing;
mod overdue;
mod resource;
pub mod statistics;
mod status;
mod store;

use std::collections::BTreeMap;

use db::Conn;

pub use self::included::{Included, included};
pub use self::listing::{InvoiceFilters, count, list};
pub use self::overdue::fail_unpaid_since;
pub use self::resource::{
    AppliedPromo, Invoice, InvoiceFailure, InvoiceRefund, InvoiceStatusChange, NewInvoice, Order,
    Refund, RefundKind,
};
use self::status::PAID;
pub use self::status::{InvoiceStatus, Payment, fail, refund, set_status};
pub use self::store::{first_id, paid_sums, promo_codes_of};

use crate::currencies::{self, Currency};
use crate::gateways::{self, Gateway};
use crate::grants;
use crate::products::{self, Product};
use crate::promo_codes::{self, PromoCode};
use accounts::users;
use kernel::input::{Fault, Faults, Partial, Patch, Positive};
use kernel::types::Timestamp;
use kernel::types::money::{Money, Price};
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Result};

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

/// The invoice to pay or refund. The user who gets its product is locked first.
pub async fn payment(edit: &mut Edit, id: i64) -> Result<Payment> {
    // The product of an invoice never changes.
    let order = store::find(edit, id).await?.and_then(|found| found.order);
    let recipient = match order {
        Some(order) => users::locked(edit, order.recipient_id).await?,
        None => None,
    };
    let invoice = target(edit, id).await?;
    Ok(Payment { invoice, recipient })
}

/// Locks the promo code, then the gateway, then the statistics, as every write of invoices does.
pub async fn create(edit: &mut Edit, new: NewInvoice) -> Result<Change<Invoice>> {
    let NewInvoice {
        user_id: Positive(user_id),
        gateway,
        amount,
        currency_id: Positive(currency_id),
        promo_code,
        product_id,
        recipient_id,
        server_id,
    } = new;
    let amount = amount.given();
    if product_id.is_none() {
        let (has_recipient, has_server) = (recipient_id.is_some(), server_id.is_some());
        check_without_product(amount.is_none(), has_recipient, has_server).check()?;
    }
    let missing = |code, what| Error::Missing { code, what };
    let recipient_id = recipient_id.map_or(user_id, |Positive(id)| id);
    for id in [user_id, recipient_id] {
        users::held(edit, id)
            .await?
            .ok_or(missing(ErrorCode::UserNotFound, "user"))?;
    }
    let product = match product_id {
        Some(Positive(id)) => Some(
            products::hold(edit, id)
                .await?
                .ok_or(missing(ErrorCode::ProductNotFound, "product"))?,
        ),
        None => None,
    };
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
    let purchase = Purchase {
        user_id,
        recipient_id,
        amount: amount.map(|Price(amount)| amount),
        currency: &currency,
        product: product.as_ref(),
        server_id: server_id.map(|Positive(id)| id),
        promo: promo.as_ref(),
        gateway: &gateway,
    };
    let order = purchase.order();
    let (amount, discount) = check(edit, purchase).await?;

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
        order,
        refund: None,
        gateway_id: gateway.id,
        created_at: edit.now(),
    };
    invoice.id = store::insert(edit, &invoice).await?;
    statistics::update(edit, None, Some(&invoice)).await?;
    Ok(Change::created(invoice))
}

/// Checks the fields of an invoice without a product.
fn check_without_product(lacks_amount: bool, has_recipient: bool, has_server: bool) -> Faults {
    let mut faults = Faults::default();
    let other = "product_id";
    if lacks_amount {
        faults.at("amount").add(Fault::Required {});
    }
    if has_recipient {
        faults.at("recipient_id").add(Fault::OnlyWith { other });
    }
    if has_server {
        faults.at("server_id").add(Fault::OnlyWith { other });
    }
    faults
}

/// An invoice to create, with what it refers to.
struct Purchase<'a> {
    user_id: i64,
    recipient_id: i64,
    amount: Option<Money>,
    currency: &'a Currency,
    product: Option<&'a Product>,
    server_id: Option<i64>,
    promo: Option<&'a PromoCode>,
    gateway: &'a Gateway,
}

impl Purchase<'_> {
    fn order(&self) -> Option<Order> {
        self.product.map(|product| Order {
            product_id: product.id,
            recipient_id: self.recipient_id,
            server_id: self.server_id,
        })
    }
}

/// Checks the rules that depend on the referenced resources. Returns the amount and the discount.
async fn check(edit: &mut Edit, purchase: Purchase<'_>) -> Result<(Money, Money)> {
    let mut faults = Faults::default();
    let mut discount = Money::default();
    if let Some(product) = purchase.product {
        let (recipient, server) = (purchase.recipient_id, purchase.server_id);
        check_product(edit, product, recipient, server, &mut faults).await?;
    }
    let currency = purchase.currency;
    let amount = amount(purchase.product, currency, purchase.amount, &mut faults);
    if let Some(amount) = amount {
        check_minimum(amount, currency, &mut faults);
    }
    if let (Some(promo), Some(amount)) = (purchase.promo, amount) {
        let now = edit.core().expiry_now();
        let user = Some(purchase.user_id);
        match promo_codes::check_eligibility(edit, promo, user, amount, now).await? {
            Ok(allowed) => discount = allowed,
            Err(fault) => faults.at("promo_code").add(fault),
        }
    }
    check_enabled(purchase.gateway, &mut faults);
    faults.check()?;
    Ok((amount.unwrap_or_default(), discount))
}

/// The amount of an invoice: the given one, which must be the price if there is a product.
fn amount(
    product: Option<&Product>,
    currency: &Currency,
    given: Option<Money>,
    faults: &mut Faults,
) -> Option<Money> {
    let Some(product) = product else {
        return given;
    };
    let Some(price) = product.price_in(currency.id) else {
        faults.at("product_id").add(Fault::NoPrice {});
        return None;
    };
    if given.is_some_and(|given| given != price) {
        let amount = price;
        faults.at("amount").add(Fault::NotThePrice { amount });
    }
    Some(price)
}

/// Checks that a product can be given to a user.
async fn check_product(
    conn: &mut Conn,
    product: &Product,
    recipient_id: i64,
    server_id: Option<i64>,
    faults: &mut Faults,
) -> Result<()> {
    if !product.active {
        faults.at("product_id").add(Fault::Inactive {});
    }
    let recipient = grants::recipient(conn, recipient_id, "").await?;
    for profile in product.profiles() {
        if !recipient.has(profile) {
            let network = profile.network();
            faults
                .at("product_id")
                .add(Fault::ProfileNotLinked { network });
        }
    }
    if let Some(fault) = product.check_server(server_id) {
        faults.at("server_id").add(fault);
    }
    Ok(())
}

fn check_minimum(amount: Money, currency: &Currency, faults: &mut Faults) {
    let minimum = currency.minimum_value;
    if amount < minimum {
        let fault = Fault::BelowMinimum { amount: minimum };
        faults.at("amount").add(fault);
    }
}

fn check_enabled(gateway: &Gateway, faults: &mut Faults) {
    if !gateway.enabled {
        faults.at("gateway").add(Fault::Disabled {});
    }
}

/// Checks an invoice to create against the database. A reference to a missing resource is not a
/// fault here: if all fields are well-formed, the reply is 404.
pub async fn check_new(
    conn: &mut Conn,
    now: Timestamp,
    new: Partial<NewInvoice>,
) -> Result<Faults> {
    let mut faults = Faults::default();
    if let Some(None) = new.product_id {
        let lacks_amount = matches!(new.amount, Some(Patch::Keep));
        let has_recipient = matches!(new.recipient_id, Some(Some(_)));
        let has_server = matches!(new.server_id, Some(Some(_)));
        faults = check_without_product(lacks_amount, has_recipient, has_server);
    }
    let positive = |id: Option<Option<Positive>>| id.flatten().map(|Positive(id)| id);
    let user_id = new.user_id.map(|Positive(id)| id);
    let product = match positive(new.product_id) {
        Some(id) => products::find(conn, id).await?,
        None => None,
    };
    if let Some(product) = &product
        && let Some(recipient_id) = positive(new.recipient_id).or(user_id)
        && let Some(server_id) = &new.server_id
    {
        let server_id = server_id.as_ref().map(|Positive(id)| *id);
        check_product(conn, product, recipient_id, server_id, &mut faults).await?;
    }
    let given = new.amount.map(Patch::given);
    let mut known_amount = given.as_ref().and_then(Option::as_ref);
    let mut price = None;
    if let (Some(given), Some(Positive(id))) = (&given, new.currency_id) {
        let given = given.as_ref().map(|Price(amount)| *amount);
        for currency in currencies::by_ids(conn, &[id]).await? {
            price = amount(product.as_ref(), &currency, given, &mut faults).map(Price);
            if let Some(Price(amount)) = &price {
                check_minimum(*amount, &currency, &mut faults);
            }
        }
    }
    known_amount = price.as_ref().or(known_amount);
    if let (Some(Price(amount)), Some(user_id), Some(Some(code))) =
        (known_amount, user_id, new.promo_code)
        && users::brief(conn, user_id).await?.is_some()
        && let Some(promo) = promo_codes::find(conn, code.as_str()).await?
        && let Err(fault) =
            promo_codes::check_eligibility(conn, &promo, Some(user_id), *amount, now).await?
    {
        faults.at("promo_code").add(fault);
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

/// Inserts invoices that are valid already. Their promo codes and the statistics are up to date once
/// the counts are [stored](Uncounted::store).
pub async fn load(edit: &mut Edit, invoices: &[Invoice], uncounted: &mut Uncounted) -> Result<()> {
    store::load(edit, invoices).await?;
    for invoice in invoices {
        if uncounted.statistics.is_full() {
            uncounted.store(edit).await?;
        }
        uncounted.statistics.add(invoice);
        if let Some(promo) = &invoice.promo {
            *uncounted.uses.entry(promo.id).or_default() += 1;
        }
    }
    Ok(())
}

/// The sums that loaded invoices add to promo codes and statistics. They are stored once for many
/// batches: their invoices share days, and PostgreSQL reads a row that a transaction has changed a
/// thousand times through a thousand versions.
#[derive(Default)]
pub struct Uncounted {
    /// How often each promo code was used.
    uses: BTreeMap<i64, i64>,
    statistics: statistics::Additions,
}

impl Uncounted {
    pub async fn store(&mut self, edit: &mut Edit) -> Result<()> {
        let Self { uses, statistics } = std::mem::take(self);
        for (promo_code_id, times) in uses {
            promo_codes::count_uses(edit, promo_code_id, times).await?;
        }
        statistics.store(edit).await
    }
}
