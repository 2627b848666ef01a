//! Currencies and payment gateways.

use std::collections::{HashMap, HashSet};

use kernel::types::Timestamp;
use kernel::types::money::{Money, Rate};
use kernel::write::Edit;
use kernel::{Error, Result};
use payments::currencies::{self, Code, Currency};
use payments::gateways::{self, Gateway};

use crate::decimal::{Decimal, shortest};
use crate::report::Output;
use crate::small::Small;
use crate::text::{key, line, valid, with_id};

const CURRENCIES: &str = "currencies";
const GATEWAYS: &str = "payment_gateways";
const RATE_PLACES: u32 = 10;
const MONEY_PLACES: u32 = 4;
const MOST_KEY: usize = 64;
/// Gateways that the dump or its invoices name.
const MOST_GATEWAYS: usize = 1_000;

/// Writes the currencies, and returns their codes.
pub async fn write_currencies(
    edit: &mut Edit,
    prefix: &str,
    small: &Small,
    output: &mut Output<'_>,
) -> Result<HashMap<i64, Code>> {
    let first = small.currencies.iter().map(|(kept, _)| kept.id).min();
    let mut codes: HashMap<String, i64> = HashMap::new();
    let mut written = Vec::new();
    for (kept, found) in &small.currencies {
        let refuse = |what: &str| {
            let shown = found.code.escape_debug();
            let id = kept.id;
            Error::internal(format!(
                "Table {prefix}{CURRENCIES}, row {id}: the code {shown} {what}."
            ))
        };
        let Some(code) = valid::<Code>(&found.code) else {
            return Err(refuse(
                "does not have three letters or digits; change it in the database and make the \
                 dump again",
            ));
        };
        if let Some(other) = codes.insert(code.folded(), kept.id) {
            return Err(refuse(&format!(
                "is that of currency {other} in another case; change one in the database and make \
                 the dump again"
            )));
        }
        let mut changes = Vec::new();
        written.push(Currency {
            id: kept.id,
            code,
            minimum_value: minimum(&found.minimum_value, &mut changes),
            exchange_rate: rate(&found.exchange_rate, &mut changes)?,
            is_default: Some(kept.id) == first,
        });
        output.write(CURRENCIES, kept.id, &changes)?;
    }
    currencies::load(edit, &written).await?;
    let codes = written
        .into_iter()
        .map(|currency| (currency.id, currency.code));
    Ok(codes.collect())
}

fn minimum(text: &str, changes: &mut Vec<String>) -> Money {
    let plain = shortest(text);
    let text = plain.as_deref().unwrap_or(text);
    let number = Decimal::parse(text).filter(|number| !number.is_negative());
    match number.and_then(|number| number.money(MONEY_PLACES)) {
        Some((money, is_exact)) => {
            if !is_exact {
                changes.push(format!("the minimum is rounded to {money}"));
            }
            money
        }
        None => {
            changes.push("the minimum is not an amount, so it is 0".to_owned());
            Money::default()
        }
    }
}

fn rate(text: &str, changes: &mut Vec<String>) -> Result<Rate> {
    let plain = shortest(text);
    let text = plain.as_deref().unwrap_or(text);
    let number = Decimal::parse(text).and_then(|number| number.rounded(RATE_PLACES));
    let one = 10_i128.pow(RATE_PLACES);
    let limit = 1_000_000_000_000 * one;
    let value = match number.filter(|(value, _)| (1..=limit).contains(value)) {
        Some((value, is_exact)) => {
            if !is_exact {
                changes.push(format!("the rate is rounded to {RATE_PLACES} places"));
            }
            value
        }
        None => {
            changes.push("the rate is not above 0, so it is 1".to_owned());
            one
        }
    };
    let stored = format!("{}.{:010}", value / one, value % one);
    Rate::from_stored(&stored).ok_or_else(|| Error::internal("a rate cannot be stored"))
}

/// The gateways, by what invoices call them.
pub struct Gateways {
    found: HashMap<String, (i64, String)>,
    keys: HashSet<String>,
}

impl Gateways {
    pub async fn write(
        edit: &mut Edit,
        now: Timestamp,
        small: &Small,
        output: &mut Output<'_>,
    ) -> Result<Self> {
        let mut gateways = Self {
            found: HashMap::new(),
            keys: HashSet::new(),
        };
        let mut sorted: Vec<_> = small.gateways.iter().collect();
        sorted.sort_by_key(|(kept, _)| kept.id);
        let mut written = Vec::new();
        for (kept, found) in sorted {
            if kept.id < 1 {
                output.leave_out(GATEWAYS, kept, "the id is not positive")?;
                continue;
            }
            let mut changes = Vec::new();
            let key = gateways.free_key(&found.adapter, kept.id);
            if key != found.adapter {
                changes.push(format!("the key is {key}, made valid and unique"));
            }
            let fallback = || key.clone();
            let name = line(&found.name, 100, fallback, "the name", &mut changes);
            let created_at = found.created_at.or("created_at", now, &mut changes);
            let place = (kept.id, key.clone());
            gateways.found.insert(found.adapter.clone(), place);
            written.push(Gateway {
                id: kept.id,
                key,
                name,
                enabled: found.enabled,
                created_at,
            });
            output.write(GATEWAYS, kept.id, &changes)?;
        }
        gateways::load(edit, &written).await?;
        Ok(gateways)
    }

    /// A key that keeps the rules and that no other gateway has.
    fn free_key(&mut self, adapter: &str, id: i64) -> String {
        let wanted = valid_key(adapter);
        let mut key = wanted.clone();
        let mut number = 1;
        while !self.keys.insert(key.clone()) {
            key = match number {
                1 => with_id(&wanted, id, MOST_KEY),
                _ => crate::text::with_suffix(&wanted, &format!("-{id}-{number}"), MOST_KEY),
            };
            number += 1;
        }
        key
    }

    /// The gateway that an invoice names. One that is not there any more is registered, and accepts
    /// no new invoices.
    pub async fn find(
        &mut self,
        edit: &mut Edit,
        name: &str,
        at: Timestamp,
        output: &mut Output<'_>,
    ) -> Result<(i64, String)> {
        if let Some(found) = self.found.get(name) {
            return Ok(found.clone());
        }
        if self.found.len() >= MOST_GATEWAYS {
            return Err(Error::internal(format!(
                "the invoices name more than {MOST_GATEWAYS} gateways"
            )));
        }
        let key = valid_key(name);
        let same = self.found.values().find(|(_, other)| *other == key);
        if let Some(found) = same.cloned() {
            self.found.insert(name.to_owned(), found.clone());
            return Ok(found);
        }
        let gateway = Gateway {
            id: 0,
            name: key.clone(),
            key: key.clone(),
            enabled: false,
            created_at: at,
        };
        let id = gateways::add(edit, &gateway).await?;
        let reason = format!(
            "added: {key}, which invoices name and which is not there; it accepts no new invoices"
        );
        output.note(GATEWAYS, Some(id), &reason)?;
        self.keys.insert(key.clone());
        self.found.insert(name.to_owned(), (id, key.clone()));
        Ok((id, key))
    }
}

fn valid_key(name: &str) -> String {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    match key(name, allowed, '_', MOST_KEY) {
        key if key.is_empty() => "unknown".to_owned(),
        key => key,
    }
}
