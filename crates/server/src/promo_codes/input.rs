//! What may be sent about a promo code.

use schemars::JsonSchema;
use serde::Serialize;

use kernel::input;
use kernel::input::{
    Ids, Int, Moment, Nullable, Patch, Place, Positive, Raw, Rule, Text, text_that,
};
use kernel::list::{ListQuery, PagingOrAll, WithPagesOrAll};
use kernel::types::money::{Money, Price};

/// What its value means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Kind {
    Amount,
    Percentage,
}

impl Kind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Amount => "amount",
            Self::Percentage => "percentage",
        }
    }

    pub fn from_stored(name: &str) -> Option<Self> {
        [Self::Amount, Self::Percentage]
            .into_iter()
            .find(|kind| kind.as_str() == name)
    }
}

impl Rule for Kind {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let known = |text: &str| Self::from_stored(text).is_some();
        let name = text_that(raw, place, known, "must be amount or percentage")?;
        Self::from_stored(&name)
    }
}

/// How often something may be used.
type Times = Int<1, 2_147_483_647>;

input! {
    /// A promo code to create.
    pub struct NewPromoCode {
        /// Unique without regard to case.
        code: Text<3, 50>,
        /// Whether `value` is an amount or a percentage.
        r#type: Kind,
        /// A percentage is at most 100.
        value: Price,
        /// How many invoices may use it in all.
        max_usages: Option<Times>,
        /// How many invoices of one user may use it.
        max_uses_per_user: Option<Times>,
        /// The least that an invoice must be about, before the discount.
        minimum_amount: Option<Money>,
        /// From when on it applies.
        starts_at: Option<Moment>,
        /// From when on it no longer applies.
        expires_at: Option<Moment>,
        /// Whose holders it is for; everyone, unless there are some.
        role_ids: Option<Ids>,
        /// Whether it can be used; true unless given.
        active: Option<bool>,
    }
}

input! {
    /// What to change about a promo code. What is absent keeps its value; invoices that use the
    /// code keep their amounts.
    pub struct PromoCodeChanges {
        /// Unique without regard to case.
        code: Patch<Text<3, 50>>,
        /// Whether `value` is an amount or a percentage.
        r#type: Patch<Kind>,
        /// A percentage is at most 100.
        value: Patch<Price>,
        /// How many invoices may use it in all. Fewer than do already means that it is used up.
        max_usages: Patch<Nullable<Times>>,
        /// How many invoices of one user may use it.
        max_uses_per_user: Patch<Nullable<Times>>,
        /// The least that an invoice must be about, before the discount.
        minimum_amount: Patch<Nullable<Money>>,
        /// From when on it applies.
        starts_at: Patch<Nullable<Moment>>,
        /// From when on it no longer applies.
        expires_at: Patch<Nullable<Moment>>,
        /// Whose holders it is for. They replace the list there was; with none it is for everyone.
        role_ids: Patch<Ids>,
        /// Whether it can be used.
        active: Patch<bool>,
    }
}

input! {
    /// Which promo codes to list.
    pub struct PromoCodePage {
        /// Only promo codes that are active, or only those that are not.
        active: Option<bool>,
        /// Only the promo code with this text, ignoring case.
        code: Option<Text<1, 50>>,
    }
    with paging: PagingOrAll
}

impl ListQuery for PromoCodePage {
    type Cursor = Positive;
    type Form = WithPagesOrAll;

    fn paging(&self) -> &PagingOrAll {
        &self.paging
    }
}

input! {
    /// A purchase that a promo code might make cheaper.
    pub struct Trial {
        /// Who buys. Without one, the code is judged for somebody who has no roles and has not
        /// used it yet.
        user_id: Option<Positive>,
        /// What the purchase is about, before any discount.
        amount: Price,
    }
}
