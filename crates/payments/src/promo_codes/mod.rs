//! Promo codes: discounts on invoices, limited by time, roles and number of uses.

mod eligibility;
pub mod http;
mod input;
mod store;

use db::Conn;
use serde::Serialize;

pub use self::eligibility::{Eligibility, check_eligibility, validate};
pub use self::input::{Kind, NewPromoCode, PromoCodeChanges, PromoCodePage, PromoCodeTrial};
use self::store::CODE;

use accounts::roles;
use kernel::input::{Fault, Faults, Ids, Int, Moment, Partial, Patch, normalised, taken};
use kernel::list::Window;
use kernel::types::Timestamp;
use kernel::types::case_fold::fold;
use kernel::types::money::{Money, Price};
use kernel::write::{Change, Edit, Resource, Target};
use kernel::{Error, ErrorCode, Result};

const IN_USE: Error = Error::Conflict {
    code: ErrorCode::PromoCodeInUse,
    message: "Invoices use this promo code. Deactivate it instead.",
};

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
    /// Whether only holders of `role_ids` may use it. Stays true if all these roles are deleted.
    pub for_roles_only: bool,
    pub active: bool,
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

pub async fn list(conn: &mut Conn, page: &PromoCodePage, window: Window) -> Result<Vec<PromoCode>> {
    let folded = page.code.as_ref().map(|code| fold(code.as_str()));
    Ok(store::list(conn, page.active, folded.as_deref(), window).await?)
}

/// The number of promo codes that match the filters, on all pages.
pub async fn count(conn: &mut Conn, page: &PromoCodePage) -> Result<i64> {
    let folded = page.code.as_ref().map(|code| fold(code.as_str()));
    Ok(store::count(conn, page.active, folded.as_deref()).await?)
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<PromoCode> {
    let promo = store::find(conn, id).await?;
    promo.ok_or(Error::NotFound(PromoCode::SINGULAR))
}

/// Finds the promo code with this text, ignoring case.
pub async fn find(conn: &mut Conn, code: &str) -> Result<Option<PromoCode>> {
    match CODE.id_of(conn, &folded(code)).await? {
        Some(id) => Ok(store::find(conn, id).await?),
        None => Ok(None),
    }
}

/// A code as codes are stored for comparison.
fn folded(code: &str) -> String {
    fold(&normalised(code.to_owned()))
}

/// Finds the promo code and locks it until the end of the transaction, so that its number of uses
/// stays valid. It is read again by id, because its code may have changed before it was locked.
pub async fn find_and_lock(edit: &mut Edit, code: &str) -> Result<Option<PromoCode>> {
    let folded = folded(code);
    let Some(id) = CODE.id_of(edit, &folded).await? else {
        return Ok(None);
    };
    store::lock(edit, id).await?;
    let promo = store::find(edit, id).await?;
    Ok(promo.filter(|promo| fold(&promo.code) == folded))
}

/// The promo code to change, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<PromoCode>> {
    store::lock(edit, id).await?;
    let promo = store::find(edit, id).await?;
    edit.target(promo)
}

pub async fn create(edit: &mut Edit, new: NewPromoCode) -> Result<Change<PromoCode>> {
    let NewPromoCode {
        code,
        r#type,
        value,
        max_usages,
        max_uses_per_user,
        minimum_amount,
        starts_at,
        expires_at,
        role_ids,
        active,
    } = new;
    let role_ids = role_ids.unwrap_or_default();
    let mut promo = PromoCode {
        id: 0,
        code: code.into_string(),
        kind: r#type,
        value: value.0,
        max_usages: max_usages.map(|times| times.0),
        max_uses_per_user: max_uses_per_user.map(|times| times.0),
        minimum_amount,
        starts_at: starts_at.map(|moment| moment.0),
        expires_at: expires_at.map(|moment| moment.0),
        for_roles_only: !role_ids.is_empty(),
        role_ids: Vec::new(),
        active: active.unwrap_or(true),
        usages_count: 0,
        created_at: edit.now(),
    };
    let mut faults = faults_of(&promo);
    faults.gather(roles::require(edit, "role_ids", &role_ids).await)?;
    faults.check()?;

    promo.role_ids = role_ids.into_vec();
    promo.id = store::insert(edit, &promo, &fold(&promo.code))
        .await
        .map_err(taken(&[CODE]))?;
    store::replace_roles(edit, &promo).await?;
    Ok(Change::created(promo))
}

pub async fn update(
    edit: &mut Edit,
    before: Target<PromoCode>,
    changes: PromoCodeChanges,
) -> Result<Change<PromoCode>> {
    let PromoCodeChanges {
        code,
        r#type,
        value,
        max_usages,
        max_uses_per_user,
        minimum_amount,
        starts_at,
        expires_at,
        role_ids,
        active,
    } = changes;
    let moment = |moment: Moment| moment.0;
    let times = |stored: Option<i64>| stored.map(Int);
    let mut promo = PromoCode {
        code: code.or(&before.code).into_string(),
        kind: r#type.or(before.kind),
        value: value.or(Price(before.value)).0,
        max_usages: max_usages.or(times(before.max_usages)).0.map(|max| max.0),
        max_uses_per_user: max_uses_per_user
            .or(times(before.max_uses_per_user))
            .0
            .map(|max| max.0),
        minimum_amount: minimum_amount.or(before.minimum_amount).0,
        starts_at: starts_at.or(before.starts_at.map(Moment)).0.map(moment),
        expires_at: expires_at.or(before.expires_at.map(Moment)).0.map(moment),
        active: active.or(before.active),
        ..before.clone()
    };
    let mut faults = faults_of(&promo);
    if let Patch::Set(role_ids) = &role_ids {
        faults.gather(roles::require(edit, "role_ids", role_ids).await)?;
    }
    faults.check()?;

    if let Patch::Set(role_ids) = role_ids {
        promo.for_roles_only = !role_ids.is_empty();
        promo.role_ids = role_ids.into_vec();
        store::replace_roles(edit, &promo).await?;
    }
    store::update(edit, &promo, &fold(&promo.code))
        .await
        .map_err(taken(&[CODE]))?;
    Ok(Change::updated("update", &before, promo))
}

pub async fn delete(edit: &mut Edit, promo: Target<PromoCode>) -> Result<Change<PromoCode>> {
    // Checked first to avoid a deadlock: the foreign key check would wait for transactions that
    // change such an invoice, and these may wait for this promo code.
    if promo.usages_count > 0 {
        return Err(IN_USE);
    }
    store::delete(edit, promo.id)
        .await
        .map_err(|error| match error {
            db::Error::ForeignKey(_) => IN_USE,
            other => other.into(),
        })?;
    Ok(Change::deleted(promo))
}

/// Checks the rules that concern more than one field.
fn faults_of(promo: &PromoCode) -> Faults {
    let mut faults = Faults::default();
    check_value(promo.kind, promo.value, &mut faults);
    check_period(promo.starts_at, promo.expires_at, &mut faults);
    faults
}

fn check_value(kind: Kind, value: Money, faults: &mut Faults) {
    if kind == Kind::Percentage && value > Money::whole(100) {
        let fault = Fault::TooLargePercentage { max: 100 };
        faults.at("value").add(fault);
    }
}

fn check_period(start: Option<Timestamp>, end: Option<Timestamp>, faults: &mut Faults) {
    if start.zip(end).is_some_and(|(start, end)| end <= start) {
        let fault = Fault::NotAfter { other: "starts_at" };
        faults.at("expires_at").add(fault);
    }
}

/// Checks a promo code to create against the database, and rules that concern several fields.
pub async fn check_new(conn: &mut Conn, new: Partial<NewPromoCode>) -> Result<Faults> {
    let moment = |moment: Moment| moment.0;
    let code = new.code.map(|code| fold(code.as_str()));
    let mut faults = CODE.check(conn, 0, code).await?;
    if let (Some(kind), Some(Price(value))) = (new.r#type, new.value) {
        check_value(kind, value, &mut faults);
    }
    if let (Some(start), Some(end)) = (new.starts_at, new.expires_at) {
        check_period(start.map(moment), end.map(moment), &mut faults);
    }
    check_roles(conn, new.role_ids.flatten(), &mut faults).await?;
    Ok(faults)
}

/// Checks changes to a promo code against the database, and rules that concern several fields.
pub async fn check_changes(
    conn: &mut Conn,
    id: i64,
    changes: Partial<PromoCodeChanges>,
) -> Result<Faults> {
    let moment = |moment: Moment| moment.0;
    let Some(before) = store::find(conn, id).await? else {
        return Ok(Faults::default());
    };
    let code = changes.code.and_then(Patch::given);
    let code = code.map(|code| fold(code.as_str()));
    let mut faults = CODE.check(conn, id, code).await?;
    if let (Some(kind), Some(value)) = (changes.r#type, changes.value) {
        let value = value.or(Price(before.value)).0;
        check_value(kind.or(before.kind), value, &mut faults);
    }
    if let (Some(start), Some(end)) = (changes.starts_at, changes.expires_at) {
        let start = start.or(before.starts_at.map(Moment)).0;
        let end = end.or(before.expires_at.map(Moment)).0;
        check_period(start.map(moment), end.map(moment), &mut faults);
    }
    let role_ids = changes.role_ids.and_then(Patch::given);
    check_roles(conn, role_ids, &mut faults).await?;
    Ok(faults)
}

async fn check_roles(conn: &mut Conn, role_ids: Option<Ids>, faults: &mut Faults) -> Result<()> {
    match role_ids {
        Some(role_ids) => roles::check(conn, "role_ids", &role_ids, faults).await,
        None => Ok(()),
    }
}

/// Inserts promo codes that are valid already, with their ids and roles.
pub async fn load(edit: &mut Edit, promos: Vec<PromoCode>) -> Result<()> {
    let promos = promos.into_iter().map(|promo| {
        let folded = fold(&promo.code);
        (promo, folded)
    });
    let promos: Vec<(PromoCode, String)> = promos.collect();
    Ok(store::load(edit, &promos).await?)
}

/// Counts one more use of the code, which must be locked.
pub async fn count_use(edit: &mut Edit, promo: &PromoCode) -> Result<()> {
    count_uses(edit, promo.id, 1).await
}

/// Counts many more uses of the code.
pub async fn count_uses(edit: &mut Edit, id: i64, times: i64) -> Result<()> {
    Ok(store::add_usages(edit, id, times).await?)
}

/// Subtracts the use of a deleted invoice.
pub async fn uncount_use(edit: &mut Edit, id: i64) -> Result<()> {
    Ok(store::add_usages(edit, id, -1).await?)
}
