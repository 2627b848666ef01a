//! Whether a promo code applies to a purchase, and the discount it gives.

use db::Conn;

use super::{Kind, PromoCode, PromoCodeTrial, store};
use accounts::users;
use kernel::input::Fault;
use kernel::types::Timestamp;
use kernel::types::money::Money;
use kernel::{Error, ErrorCode, Result};

/// The discount, or why the promo code does not apply.
pub type Eligibility = Result<Money, Fault>;

/// A purchase to apply a promo code to.
struct Purchase {
    amount: Money,
    /// The roles of the buyer.
    role_ids: Vec<i64>,
    /// How many of the buyer's invoices already use the code.
    uses: i64,
    now: Timestamp,
}

/// Checks whether the promo code applies to this amount. Without a user, it assumes a buyer who has
/// no roles and has not used the code. The result stays valid only while the code is locked.
pub async fn check_eligibility(
    conn: &mut Conn,
    promo: &PromoCode,
    user_id: Option<i64>,
    amount: Money,
    now: Timestamp,
) -> Result<Eligibility> {
    let mut purchase = Purchase {
        amount,
        role_ids: Vec::new(),
        uses: 0,
        now,
    };
    if let Some(user_id) = user_id {
        purchase.role_ids = users::role_ids(conn, now, user_id).await?;
        purchase.uses = store::uses(conn, promo.id, user_id).await?;
    }
    Ok(match promo.refusal(&purchase) {
        Some(fault) => Err(fault),
        None => Ok(promo.discount(amount)),
    })
}

/// Checks the promo code as an invoice created now would, without using it.
pub async fn validate(
    conn: &mut Conn,
    promo: &PromoCode,
    trial: &PromoCodeTrial,
    now: Timestamp,
) -> Result<Eligibility> {
    let user_id = trial.user_id.map(|id| id.0);
    if let Some(id) = user_id {
        let missing = Error::Missing {
            code: ErrorCode::UserNotFound,
            what: "user",
        };
        users::brief(conn, id).await?.ok_or(missing)?;
    }
    check_eligibility(conn, promo, user_id, trial.amount.0, now).await
}

impl PromoCode {
    /// Why the code does not apply to this purchase; `None` if it does.
    fn refusal(&self, purchase: &Purchase) -> Option<Fault> {
        let is_for_role = |role| self.role_ids.contains(role);
        let is_below = |least: &Money| purchase.amount < *least;
        Some(if !self.active {
            Fault::Inactive {}
        } else if self.starts_at.is_some_and(|start| purchase.now < start) {
            Fault::NotYetValid {}
        } else if self.expires_at.is_some_and(|end| end <= purchase.now) {
            Fault::Expired {}
        } else if self.for_roles_only && !purchase.role_ids.iter().any(is_for_role) {
            Fault::NotForUser {}
        } else if self.max_usages.is_some_and(|max| self.usages_count >= max) {
            Fault::UsedUp {}
        } else if self
            .max_uses_per_user
            .is_some_and(|max| purchase.uses >= max)
        {
            Fault::UsedUpByUser {}
        } else {
            Fault::AmountTooSmall {
                amount: self.minimum_amount.filter(is_below)?,
            }
        })
    }

    /// The discount, at most the amount.
    pub fn discount(&self, amount: Money) -> Money {
        let discount = match self.kind {
            Kind::Amount => self.value,
            Kind::Percentage => amount.percent(self.value),
        };
        discount.min(amount)
    }
}
