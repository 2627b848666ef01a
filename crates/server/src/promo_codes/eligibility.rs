//! Whether a promo code applies to a purchase, and what it takes off.

use db::Conn;

use super::{Kind, PromoCode, Trial, store};
use crate::users;
use kernel::types::Timestamp;
use kernel::types::money::Money;
use kernel::{Error, Result};

/// What a promo code takes off, or why it takes off nothing.
pub type Verdict = Result<Money, String>;

/// What somebody wants to use a promo code for.
struct Purchase {
    amount: Money,
    /// The roles of whoever buys.
    role_ids: Vec<i64>,
    /// How many invoices of theirs use the code already.
    uses: i64,
    now: Timestamp,
}

/// What comes of using the promo code for this amount. Without a user it is judged for somebody
/// who has no roles and no uses. Only while the code is held does the verdict stay true.
pub async fn judge(
    conn: &mut Conn,
    promo: &PromoCode,
    user_id: Option<i64>,
    amount: Money,
    now: Timestamp,
) -> Result<Verdict> {
    let mut purchase = Purchase {
        amount,
        role_ids: Vec::new(),
        uses: 0,
        now,
    };
    if let Some(user_id) = user_id {
        purchase.role_ids = users::role_ids(conn, user_id).await?;
        purchase.uses = store::uses(conn, promo.id, user_id).await?;
    }
    Ok(match promo.refusal(&purchase) {
        Some(sentence) => Err(sentence),
        None => Ok(promo.discount(amount)),
    })
}

/// What an invoice would make of the promo code at this moment. Nothing is counted or written.
pub async fn validate(
    conn: &mut Conn,
    promo: &PromoCode,
    trial: &Trial,
    now: Timestamp,
) -> Result<Verdict> {
    let user_id = trial.user_id.map(|id| id.0);
    if let Some(id) = user_id {
        let missing = Error::Missing {
            code: "user_not_found",
            what: "user",
        };
        users::brief(conn, id).await?.ok_or(missing)?;
    }
    judge(conn, promo, user_id, trial.amount.0, now).await
}

impl PromoCode {
    /// What is wrong with using it for this purchase, if anything.
    fn refusal(&self, purchase: &Purchase) -> Option<String> {
        let is_for = |role| self.role_ids.contains(role);
        let too_little = |least: &Money| purchase.amount < *least;
        let sentence = if !self.active {
            "is not active"
        } else if self.starts_at.is_some_and(|start| purchase.now < start) {
            "is not valid yet"
        } else if self.expires_at.is_some_and(|end| end <= purchase.now) {
            "has expired"
        } else if self.for_roles_only && !purchase.role_ids.iter().any(is_for) {
            "is not for this user"
        } else if self.max_usages.is_some_and(|max| self.usages_count >= max) {
            "has been used up"
        } else if self
            .max_uses_per_user
            .is_some_and(|max| purchase.uses >= max)
        {
            "has been used up by this user"
        } else {
            let least = self.minimum_amount.filter(too_little)?;
            return Some(format!("needs an amount of at least {least}"));
        };
        Some(sentence.to_owned())
    }

    /// What it takes off; never more than there is.
    pub fn discount(&self, amount: Money) -> Money {
        let discount = match self.kind {
            Kind::Amount => self.value,
            Kind::Percentage => amount.percent(self.value),
        };
        discount.min(amount)
    }
}
