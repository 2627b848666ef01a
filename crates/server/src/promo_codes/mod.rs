//! Promo codes: what makes an invoice cheaper, for whom, and how often.

mod applies;
mod store;

use db::Conn;
use schemars::JsonSchema;
use serde::Serialize;

pub use self::applies::Purchase;

use crate::edit::{Change, Edit, Resource};
use crate::input::{Faults, Ids, Int, Moment, Place, Raw, Rule, Text, text_that};
use crate::money::{Money, Price};
use crate::timestamp::Timestamp;
use crate::{Error, Result, input, roles};

#[derive(Clone, Debug, Serialize)]
pub struct PromoCode {
    pub id: i64,
    pub code: String,
    #[serde(rename = "type")]
    pub kind: Kind,
    pub value: Money,
    pub max_usages: Option<i64>,
    pub max_uses_per_user: Option<i64>,
    pub minimum_amount: Option<Money>,
    pub starts_at: Option<Timestamp>,
    pub expires_at: Option<Timestamp>,
    pub role_ids: Vec<i64>,
    pub active: bool,
    /// Whether it is for some roles only, even if none of them are left.
    #[serde(skip)]
    pub for_roles_only: bool,
    #[serde(skip)]
    pub usages_count: i64,
    #[serde(skip)]
    pub created_at: Timestamp,
}

impl Resource for PromoCode {
    const PLURAL: &'static str = "promo_codes";
    const SINGULAR: &'static str = "promo code";

    fn id(&self) -> i64 {
        self.id
    }
}

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

    fn from_stored(name: &str) -> Option<Self> {
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

pub async fn get(conn: &mut Conn, id: i64) -> Result<PromoCode> {
    let promo = store::find(conn, id).await?;
    promo.ok_or(Error::NotFound(PromoCode::SINGULAR))
}

/// The promo code of this name, held until the end of the transaction: until then nobody else
/// uses it, so that what is read of its usages stays true.
pub async fn held(edit: &mut Edit, code: &str) -> Result<Option<PromoCode>> {
    let folded = fold(code);
    store::lock(edit, &folded).await?;
    Ok(store::find_by_code(edit, &folded).await?)
}

pub async fn create(edit: &mut Edit, new: NewPromoCode) -> Result<Change<PromoCode>> {
    check(&new)?;
    let role_ids = new.role_ids.unwrap_or_default();
    roles::require(edit, "role_ids", &role_ids).await?;
    let mut role_ids = role_ids.0;
    role_ids.sort_unstable();
    role_ids.dedup();
    let mut promo = PromoCode {
        id: 0,
        code: new.code.into_string(),
        kind: new.r#type,
        value: new.value.0,
        max_usages: new.max_usages.map(|times| times.0),
        max_uses_per_user: new.max_uses_per_user.map(|times| times.0),
        minimum_amount: new.minimum_amount,
        starts_at: new.starts_at.map(|moment| moment.0),
        expires_at: new.expires_at.map(|moment| moment.0),
        for_roles_only: !role_ids.is_empty(),
        role_ids,
        active: new.active.unwrap_or(true),
        usages_count: 0,
        created_at: edit.now(),
    };
    promo.id = store::insert(edit, &promo, &fold(&promo.code))
        .await
        .map_err(code_taken)?;
    Ok(Change::created(promo))
}

/// The rules that no field has by itself.
fn check(new: &NewPromoCode) -> Result<()> {
    let mut faults = Faults::default();
    if new.r#type == Kind::Percentage && new.value.0 > Money::whole(100) {
        let sentence = "must be at most 100 for a percentage";
        faults.at("value").add(sentence);
    }
    let bounds = new.starts_at.zip(new.expires_at);
    if bounds.is_some_and(|(start, end)| end.0 <= start.0) {
        faults.at("expires_at").add("must be after starts_at");
    }
    if faults.is_empty() {
        Ok(())
    } else {
        Err(faults.into())
    }
}

fn code_taken(error: db::Error) -> Error {
    match error {
        db::Error::Unique(name) if name == "promo_codes_code_folded_key" => {
            Faults::one("code", "has already been taken").into()
        }
        other => other.into(),
    }
}

/// Counts one more invoice that uses it. It must be held.
pub async fn count_use(edit: &mut Edit, promo: &PromoCode) -> Result<()> {
    Ok(store::add_usages(edit, promo.id, 1).await?)
}

/// Gives the use of a deleted invoice back.
pub async fn give_back(edit: &mut Edit, id: i64) -> Result<()> {
    Ok(store::add_usages(edit, id, -1).await?)
}

/// What a code is compared by. Neither engine folds case by Unicode's rules by itself.
pub fn fold(code: &str) -> String {
    code.to_lowercase()
}
