//! The bodies of requests and replies, and the states in audit entries.

use kernel::types::Timestamp;
use kernel::types::money::Money;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[derive(Serialize)]
pub struct SingleUser {
    pub user: UserDetail,
}

#[derive(Serialize)]
pub struct UserDetail {
    pub id: i64,
    pub username: String,
    pub email: String,
    pub status: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub roles: Vec<RoleItem>,
}

#[derive(Serialize)]
pub struct RoleItem {
    pub id: i64,
    pub name: String,
    pub description: String,
}

#[derive(Serialize)]
pub struct UserList {
    pub users: Vec<ListedUser>,
}

#[derive(Serialize)]
pub struct ListedUser {
    pub id: i64,
    pub username: String,
    pub email: String,
    pub created_at: Timestamp,
    pub status: String,
}

/// A user whose block has expired is active.
pub fn status(stored: String, blocked_until: Option<i64>, now: Timestamp) -> String {
    match blocked_until {
        Some(until) if until <= now.unix() => "active".to_owned(),
        _ => stored,
    }
}

#[derive(Serialize)]
pub struct BanCheck {
    pub banned: bool,
    pub bans: Vec<ActiveBan>,
}

#[derive(Serialize)]
pub struct ActiveBan {
    pub id: i64,
    pub kind: String,
    pub reason: String,
    pub expires_at: Option<Timestamp>,
}

/// The stored value for no end is the largest.
pub fn end(stored: i64) -> Option<Timestamp> {
    (stored != i64::MAX).then(|| Timestamp::from_unix(stored))
}

/// A role to create. In this order, its fields are those of the audit entry after the id.
#[derive(Clone, Deserialize, Serialize)]
pub struct Role {
    pub name: String,
    #[serde(default)]
    pub description: String,
    #[serde(default = "grey")]
    pub color: String,
    #[serde(skip_deserializing)]
    permissions: [(); 0],
}

fn grey() -> String {
    "#808080".to_owned()
}

#[derive(Serialize)]
pub struct RoleReply {
    pub message: &'static str,
    pub role: RoleItem,
}

#[derive(Deserialize)]
pub struct InvoiceRequest {
    user_id: i64,
    gateway: String,
    amount: Box<RawValue>,
    currency_id: i64,
}

/// An invoice to create.
#[derive(Clone)]
pub struct NewInvoice {
    pub user_id: i64,
    pub gateway: String,
    pub amount: Money,
    pub currency_id: i64,
}

impl InvoiceRequest {
    /// `None` if the amount is not a positive number with at most four decimal places.
    pub fn parse(self) -> Option<NewInvoice> {
        let text = self.amount.get();
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let parts: i64 = match fraction.len() {
            0..=4 => format!("{whole}{fraction:0<4}").parse().ok()?,
            _ => return None,
        };
        (parts > 0).then_some(NewInvoice {
            user_id: self.user_id,
            gateway: self.gateway,
            amount: Money::from_parts(parts),
            currency_id: self.currency_id,
        })
    }
}

/// What the database adds to a new invoice.
pub struct Invoice {
    pub id: i64,
    pub currency: String,
}

/// The state of a new invoice in its audit entry, after the id and up to the currency. The rest is
/// [`INVOICE_END`].
#[derive(Serialize)]
pub struct InvoiceState<'a> {
    user_id: i64,
    gateway: &'a str,
    transaction_id: (),
    amount: Money,
    original_amount: Money,
    promo: (),
    currency_id: i64,
}

pub const INVOICE_END: &str =
    r#","is_paid":false,"paid_at":null,"failed_at":null,"failed_reason":""}"#;

impl<'a> InvoiceState<'a> {
    pub fn new(new: &'a NewInvoice) -> Self {
        Self {
            user_id: new.user_id,
            gateway: &new.gateway,
            transaction_id: (),
            amount: new.amount,
            original_amount: new.amount,
            promo: (),
            currency_id: new.currency_id,
        }
    }
}

#[derive(Serialize)]
pub struct InvoiceReply {
    pub message: &'static str,
    pub payment_invoice: InvoiceItem,
}

#[derive(Serialize)]
pub struct InvoiceItem {
    id: i64,
    user_id: i64,
    gateway: String,
    transaction_id: (),
    amount: Money,
    original_amount: Money,
    currency_id: i64,
    is_paid: bool,
    paid_at: (),
    created_at: Timestamp,
    currency: String,
}

impl InvoiceItem {
    pub fn new(new: NewInvoice, created: Invoice, created_at: Timestamp) -> Self {
        Self {
            id: created.id,
            user_id: new.user_id,
            gateway: new.gateway,
            transaction_id: (),
            amount: new.amount,
            original_amount: new.amount,
            currency_id: new.currency_id,
            is_paid: false,
            paid_at: (),
            created_at,
            currency: created.currency,
        }
    }
}

/// The fields of a state as JSON, without its braces: the id, which only the database knows, comes
/// first.
pub fn fields(state: &impl Serialize) -> serde_json::Result<String> {
    let text = serde_json::to_string(state)?;
    Ok(text[1..text.len() - 1].to_owned())
}
