//! Whether a promo code applies to a purchase, and what it takes off.

use super::{Kind, PromoCode};
use crate::money::Money;
use crate::timestamp::Timestamp;

/// What somebody wants to use a promo code for.
pub struct Purchase<'a> {
    pub amount: Money,
    /// The roles of whoever buys.
    pub role_ids: &'a [i64],
    /// How many invoices of theirs use the code already.
    pub uses: i64,
    pub now: Timestamp,
}

impl PromoCode {
    /// What is wrong with using it for this purchase, if anything.
    pub fn refusal(&self, purchase: &Purchase<'_>) -> Option<String> {
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
