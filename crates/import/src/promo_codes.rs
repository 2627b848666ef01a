//! Promo codes. All are inactive: in Flute they add a bonus, here they would be a discount.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};

use futures_util::future::LocalBoxFuture;
use kernel::Result;
use kernel::types::case_fold::fold;
use kernel::types::money::Money;
use kernel::write::Edit;
use payments::invoices;
use payments::promo_codes::{self, Kind, PromoCode};

use crate::context::Context;
use crate::decimal::{Decimal, shortest};
use crate::pass::Stage;
use crate::record::{Kept, Record};
use crate::report::Output;
use crate::small::{self, Pair, Small};
use crate::text::{name, with_id, with_suffix};

const TABLE: &str = "promo_codes";
const ROLES: &str = "promo_code_roles";
const USAGES: &str = "promo_code_usages";
const SHORTEST: usize = 3;
const LONGEST: usize = 50;
const MOST_USES: i64 = 2_147_483_647;
const PLACES: u32 = 4;
/// The smallest value: 0.01.
const LEAST_VALUE: Money = Money::from_parts(Money::ONE / 100);
const MOST_PERCENT: Money = Money::whole(100);
const BATCH: usize = 1_000;

/// Writes the promo codes, and returns their ids.
pub async fn write(
    edit: &mut Edit,
    context: &Context,
    small: &Small,
    output: &mut Output<'_>,
) -> Result<HashSet<i64>> {
    let mut sorted: Vec<_> = small.promo_codes.iter().collect();
    sorted.sort_by_key(|(kept, _)| kept.id);
    let ids: HashSet<i64> = sorted.iter().map(|(kept, _)| kept.id).collect();
    let mut roles = roles(context, small, &ids, output)?;
    let mut taken: HashMap<String, i64> = HashMap::new();
    for batch in sorted.chunks(BATCH) {
        let mut written = Vec::with_capacity(batch.len());
        for (kept, found) in batch {
            let mut changes = Vec::new();
            let code = code(kept.id, &found.code, &mut taken, &mut changes);
            let created_at = found.created_at.or("created_at", context.now, &mut changes);
            let (role_ids, for_roles_only) = roles.remove(&kept.id).unwrap_or_default();
            written.push(PromoCode {
                id: kept.id,
                code,
                role_ids: role_ids.into_iter().collect(),
                for_roles_only,
                created_at,
                ..promo(kept, found, &mut changes)
            });
            changes.push("the code is inactive: here it would be a discount".to_owned());
            output.write(TABLE, kept.id, &changes)?;
        }
        promo_codes::load(edit, written).await?;
    }
    Ok(ids)
}

/// The limits and the value of a code.
fn promo(kept: &Kept, found: &small::PromoCode, changes: &mut Vec<String>) -> PromoCode {
    let kind = match Kind::from_stored(&found.kind) {
        Some(kind) => kind,
        None => {
            changes.push("the type is not known, so it is amount".to_owned());
            Kind::Amount
        }
    };
    let plain = found.minimum_amount.as_deref().map(plain);
    let minimum = plain.as_deref().and_then(Decimal::parse);
    let valid = minimum.filter(|minimum| !minimum.is_negative());
    let minimum_amount = valid.and_then(|minimum| minimum.money(PLACES));
    if found.minimum_amount.is_some() && minimum_amount.is_none_or(|(_, is_exact)| !is_exact) {
        changes.push("the minimum amount is rounded, or none as it is no amount".to_owned());
    }
    PromoCode {
        id: kept.id,
        code: String::new(),
        kind,
        value: value(kind, &found.value, changes),
        max_usages: times(found.max_usages, "max_usages", changes),
        max_uses_per_user: match found.max_uses_per_user {
            // As Flute's core means it.
            None => Some(1),
            uses => times(uses, "max_uses_per_user", changes),
        },
        minimum_amount: minimum_amount.map(|(money, _)| money),
        starts_at: None,
        expires_at: found.expires_at.or_none("expires_at", changes),
        role_ids: Vec::new(),
        for_roles_only: false,
        active: false,
        usages_count: 0,
        created_at: kernel::types::Timestamp::from_unix(0),
    }
}

/// An amount as somebody typed it: a FLOAT column may have become DOUBLE, to keep the cents.
fn plain(text: &str) -> Cow<'_, str> {
    shortest(text).map_or(Cow::Borrowed(text), Cow::Owned)
}

fn value(kind: Kind, text: &str, changes: &mut Vec<String>) -> Money {
    let most = match kind {
        Kind::Percentage => MOST_PERCENT,
        Kind::Amount => Money::whole(1_000_000_000_000),
    };
    let text = plain(text);
    let number = Decimal::parse(&text);
    let is_negative = number.is_some_and(Decimal::is_negative);
    let read = number.and_then(|number| number.money(PLACES));
    let (value, is_exact) = match read {
        Some((value, is_exact)) => (
            value.clamp(LEAST_VALUE, most),
            is_exact && { value >= LEAST_VALUE && value <= most },
        ),
        None if is_negative => (LEAST_VALUE, false),
        None => (most, false),
    };
    if !is_exact {
        changes.push(format!("the value is {value}, the nearest that can be"));
    }
    value
}

fn times(times: Option<i64>, what: &str, changes: &mut Vec<String>) -> Option<i64> {
    let times = times?;
    let valid = times.clamp(1, MOST_USES);
    if valid != times {
        changes.push(format!("{what} is {valid}, the nearest that can be"));
    }
    Some(valid)
}

/// A code that keeps the rules and that no other has. The one with the lowest id keeps it.
fn code(
    id: i64,
    text: &str,
    taken: &mut HashMap<String, i64>,
    changes: &mut Vec<String>,
) -> String {
    let wanted = name(text, LONGEST, "the code", changes);
    let mut code = wanted.clone();
    if wanted.chars().count() < SHORTEST {
        code = with_id(&format!("{wanted}code"), id, LONGEST);
        changes.push(format!("the code is too short, so it is {code}"));
    }
    let mut number = 1;
    while let Some(holder) = taken.get(&fold(&code)) {
        code = match number {
            1 => with_id(&wanted, id, LONGEST),
            _ => with_suffix(&wanted, &format!("-{id}-{number}"), LONGEST),
        };
        changes.push(format!("promo code {holder} has the code, so it is {code}"));
        number += 1;
    }
    taken.insert(fold(&code), id);
    code
}

/// The roles of each code, and whether it is for them alone.
fn roles(
    context: &Context,
    small: &Small,
    ids: &HashSet<i64>,
    output: &mut Output<'_>,
) -> Result<HashMap<i64, (BTreeSet<i64>, bool)>> {
    let mut roles: HashMap<i64, (BTreeSet<i64>, bool)> = HashMap::new();
    for (kept, Pair { left, right }) in &small.promo_code_roles {
        if !ids.contains(left) {
            output.leave_out(ROLES, kept, &format!("promo code {left} is not there"))?;
            continue;
        }
        let of_code = roles.entry(*left).or_default();
        of_code.1 = true;
        match context.roles.contains_key(right) {
            true => {
                of_code.0.insert(*right);
                output.write(ROLES, kept.id, &[])?;
            }
            false => output.leave_out(ROLES, kept, &format!("role {right} is not there"))?,
        }
    }
    Ok(roles)
}

/// Uses of promo codes. Here a use is the promo code of an invoice, which is written already.
#[derive(Default)]
pub struct Usages {
    batch: Vec<(Kept, i64, i64)>,
}

impl Usages {
    async fn write_batch(&mut self, edit: &mut Edit, output: &mut Output<'_>) -> Result<()> {
        let batch = std::mem::take(&mut self.batch);
        let ids: Vec<i64> = batch.iter().map(|(_, invoice, _)| *invoice).collect();
        let codes = invoices::promo_codes_of(edit, &ids).await?;
        let codes: HashMap<i64, Option<i64>> = codes.into_iter().collect();
        for (kept, invoice, code) in batch {
            match codes.get(&invoice) {
                Some(Some(other)) if *other == code => output.write(USAGES, kept.id, &[])?,
                Some(_) => {
                    let reason = format!("invoice {invoice} does not have promo code {code}");
                    output.leave_out(USAGES, &kept, &reason)?;
                }
                None => {
                    let reason = format!("invoice {invoice} is not taken over");
                    output.leave_out(USAGES, &kept, &reason)?;
                }
            }
        }
        Ok(())
    }
}

impl Stage for Usages {
    fn table(&self) -> &'static str {
        USAGES
    }

    fn take(&mut self, record: Record<'_>, _: &mut Output<'_>) -> Result<usize> {
        let kept = record.keep()?;
        let size = kept.size();
        let (invoice, code) = (
            record.required("invoice_id")?,
            record.required("promoCode_id")?,
        );
        self.batch.push((kept, invoice, code));
        Ok(size)
    }

    fn write<'a>(
        &'a mut self,
        edit: &'a mut Edit,
        output: &'a mut Output<'_>,
    ) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(self.write_batch(edit, output))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_the_nearest_that_can_be() {
        let made = |kind, text: &str| {
            let mut changes = Vec::new();
            let value = value(kind, text, &mut changes).to_string();
            (value, changes.len())
        };
        for (kind, text, expected, changes) in [
            (Kind::Amount, "5", "5", 0),
            (Kind::Percentage, "33.3333", "33.3333", 0),
            (Kind::Percentage, "150", "100", 1),
            (Kind::Amount, "0", "0.01", 1),
            (Kind::Amount, "-3", "0.01", 1),
            (Kind::Amount, "-1e30", "0.01", 1),
            (Kind::Amount, "1e30", "1000000000000", 1),
            (Kind::Amount, "1.00005", "1.0001", 1),
        ] {
            assert_eq!(made(kind, text), (expected.to_owned(), changes), "{text}");
        }
    }

    #[test]
    fn the_lowest_id_keeps_a_code() {
        let mut taken = HashMap::new();
        let mut made = |id, text| code(id, text, &mut taken, &mut Vec::new());
        assert_eq!(made(1, "SALE"), "SALE");
        assert_eq!(made(2, "sale"), "sale-2");
        assert_eq!(made(3, " Sale "), "Sale-3");
        assert_eq!(made(4, "sale-2"), "sale-2-4");
        assert_eq!(made(5, "x"), "xcode-5");
        assert_eq!(made(6, ""), "code-6");
    }
}
