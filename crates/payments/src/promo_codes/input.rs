//! Request bodies and query parameters of promo codes, and the rules of their fields.

use serde::Serialize;

use kernel::input;
use kernel::input::{
    Fault, Ids, Int, Moment, Name, Nullable, Patch, Place, Positive, Raw, Rule, Text, text_that,
};
use kernel::list::{ListQuery, ListSpec, Parameter};
use kernel::schema::JsonSchema;
use kernel::types::money::{Money, Price};

/// The meaning of `value`.
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
        let fault = Fault::not_one_of(&["amount", "percentage"]);
        let name = text_that(raw, place, known, fault)?;
        Self::from_stored(&name)
    }
}

/// A limit on the number of uses.
type Times = Int<1, 2_147_483_647>;

input! {
    /// A promo code to create.
    pub struct NewPromoCode {
        /// Unique, ignoring case.
        code: Name<3, 50>,
        /// Whether `value` is an amount or a percentage.
        r#type: Kind,
        /// A percentage is at most 100.
        value: Price,
        /// How many invoices may use it in total.
        max_usages: Option<Times>,
        /// How many invoices of one user may use it.
        max_uses_per_user: Option<Times>,
        /// The smallest amount of an invoice, before the discount.
        minimum_amount: Option<Money>,
        /// When it starts to apply.
        starts_at: Option<Moment>,
        /// When it expires.
        expires_at: Option<Moment>,
        /// The roles whose holders may use it. Without any, every user may.
        role_ids: Option<Ids>,
        /// Whether it can be used. The default is true.
        active: Option<bool>,
    }
}

input! {
    /// Changes to a promo code. Absent fields keep their value. Invoices that use the code keep
    /// their amounts.
    pub struct PromoCodeChanges {
        /// Unique, ignoring case.
        code: Patch<Name<3, 50>>,
        /// Whether `value` is an amount or a percentage.
        r#type: Patch<Kind>,
        /// A percentage is at most 100.
        value: Patch<Price>,
        /// How many invoices may use it in total. If as many or more use it already, it is used up.
        max_usages: Patch<Nullable<Times>>,
        /// How many invoices of one user may use it.
        max_uses_per_user: Patch<Nullable<Times>>,
        /// The smallest amount of an invoice, before the discount.
        minimum_amount: Patch<Nullable<Money>>,
        /// When it starts to apply.
        starts_at: Patch<Nullable<Moment>>,
        /// When it expires.
        expires_at: Patch<Nullable<Moment>>,
        /// The roles whose holders may use it; they replace the current ones. An empty list allows
        /// every user.
        role_ids: Patch<Ids>,
        /// Whether it can be used.
        active: Patch<bool>,
    }
}

input! {
    /// Filters of promo codes.
    pub struct PromoCodePage {
        /// Only promo codes that are active, or only those that are not.
        active: Option<bool>,
        /// Only the promo code with this text, ignoring case.
        code: Option<Text<1, 50>>,
    }
}

impl ListQuery for PromoCodePage {
    const LIST: &'static ListSpec = &ListSpec {
        parameters: &[
            Parameter::Filters,
            Parameter::Page,
            Parameter::Size,
            Parameter::After,
        ],
        ..ListSpec::SHORT
    };
}

input! {
    /// A purchase to validate a promo code for.
    pub struct PromoCodeTrial {
        /// The buyer. Without one, the code is validated for a buyer who has no roles and has not
        /// used it yet.
        user_id: Option<Positive>,
        /// The amount of the purchase, before any discount.
        amount: Price,
    }
}
