//! Invoices, and the sums of those that are paid, before and after.

use std::collections::{BTreeMap, HashMap};

use futures_util::future::LocalBoxFuture;
use kernel::types::Timestamp;
use kernel::types::money::Money;
use kernel::write::Edit;
use kernel::{Error, Result};
use payments::currencies::Code;
use payments::invoices::{self, AppliedPromo, Invoice, Uncounted};
use serde::{Serialize, Serializer};

use crate::context::Context;
use crate::decimal::Decimal;
use crate::parts::{user_is_absent, users_by_id};
use crate::pass::Stage;
use crate::record::{Kept, Moment, Record};
use crate::report::Output;
use crate::shop::Gateways;
use crate::text::cut;

pub const TABLE: &str = "payment_invoices";
const MOST_TRANSACTION: usize = 255;
/// Places of an amount that was paid, and those of sums of the dump.
const PLACES: u32 = 2;
const SUM_PLACES: u32 = 10;
/// From here on a FLOAT has no cents in a dump, which has six digits of it.
pub const LOSES_CENTS: Money = Money::whole(10_000);

/// Paid invoices of one currency.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Paid {
    pub count: u64,
    pub sum: Exact,
}

/// A sum in units of 10^-10.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Exact(i128);

impl Exact {
    pub fn of(decimal: Decimal<'_>) -> Self {
        Self(decimal.rounded(SUM_PLACES).map_or(0, |(value, _)| value))
    }

    pub fn add(&mut self, other: Self) {
        self.0 = self.0.saturating_add(other.0);
    }

    pub fn less(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl std::fmt::Display for Exact {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let one = 10_u128.pow(SUM_PLACES);
        let value = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        let fraction = format!("{:010}", value % one);
        let fraction = fraction.trim_end_matches('0');
        // Cents are always shown.
        write!(f, "{sign}{}.{fraction:0<2}", value / one)
    }
}

/// A text, since not every reader of JSON keeps all digits of a number.
impl Serialize for Exact {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// An invoice of the dump that is valid but for its user.
struct Found {
    kept: Kept,
    invoice: Invoice,
    gateway: String,
    changes: Vec<String>,
}

pub struct Invoices<'a> {
    context: &'a Context,
    gateways: &'a mut Gateways,
    /// Whether amounts come from a FLOAT column.
    is_float: bool,
    /// Paid invoices of the dump, by currency.
    pub paid: BTreeMap<String, Paid>,
    /// Amounts that may have lost their cents.
    pub lost_cents: u64,
    /// Sums that are written once all invoices are.
    pub uncounted: Uncounted,
    batch: Vec<Found>,
}

impl<'a> Invoices<'a> {
    pub fn new(context: &'a Context, gateways: &'a mut Gateways, is_float: bool) -> Self {
        Self {
            context,
            gateways,
            is_float,
            paid: BTreeMap::new(),
            lost_cents: 0,
            uncounted: Uncounted::default(),
            batch: Vec::new(),
        }
    }

    fn currency(&self, record: Record<'_>) -> Result<std::result::Result<(i64, Code), String>> {
        let Some(id) = record.integer("currency_id")? else {
            return match &self.context.fallback {
                Some(fallback) => Ok(Ok(fallback.clone())),
                None => Err(record.refuse(&format!(
                    "invoice {} has no currency; name the one of all such invoices with --currency",
                    record.required("id")?
                ))),
            };
        };
        Ok(match self.context.currencies.get(&id) {
            Some(code) => Ok((id, code.clone())),
            None => Err(format!("currency {id} is not there")),
        })
    }

    /// The invoice, or why it is left out.
    fn read(
        &mut self,
        kept: Kept,
        record: Record<'_>,
    ) -> Result<std::result::Result<Found, (Kept, String)>> {
        let mut changes = Vec::new();
        let is_paid = record.is_set("is_paid")?;
        let Some(original) = record.decimal("original_amount")? else {
            return Err(record.wrong("original_amount", "is NULL"));
        };
        let (currency_id, currency) = match self.currency(record)? {
            Ok(currency) => currency,
            Err(reason) => return Ok(Err((kept, reason))),
        };
        if is_paid {
            let paid = self.paid.entry(currency.as_str().to_owned()).or_default();
            paid.count += 1;
            paid.sum.add(Exact::of(original));
        }
        if kept.id < 1 {
            return Ok(Err((kept, "the id is not positive".to_owned())));
        }
        if original.is_negative() {
            return Ok(Err((kept, "the amount is negative".to_owned())));
        }
        let Some((amount, is_exact)) = original.money(PLACES) else {
            return Ok(Err((kept, "the amount is too large".to_owned())));
        };
        if !is_exact {
            changes.push(format!("the amount is rounded to {amount}"));
        }
        if self.is_float && amount >= LOSES_CENTS {
            self.lost_cents += 1;
        }
        let created_at = record.moment("created_at")?;
        let created_at = created_at.or("created_at", self.context.now, &mut changes);
        let paid_at = paid_at(is_paid, record.moment("paid_at")?, created_at, &mut changes);
        let promo = match record.integer("promoCode_id")? {
            Some(id) if self.context.promo_codes.contains(&id) => Some(AppliedPromo {
                id,
                code: String::new(),
            }),
            Some(id) => {
                changes.push(format!(
                    "promo code {id} is not there, so the invoice has none"
                ));
                None
            }
            None => None,
        };
        let text = record.string("transaction_id")?;
        let transaction = cut(text, MOST_TRANSACTION, "the transaction id", &mut changes);
        let is_blank = transaction.chars().all(kernel::input::is_blank);
        let invoice = Invoice {
            id: kept.id,
            user_id: record.required("user_id")?,
            gateway: String::new(),
            transaction_id: (!is_blank).then_some(transaction),
            amount,
            original_amount: amount,
            promo,
            currency_id,
            currency,
            is_paid,
            paid_at,
            failed_at: None,
            failed_reason: String::new(),
            order: None,
            refund: None,
            gateway_id: 0,
            created_at,
        };
        let gateway = record.string("gateway")?.to_owned();
        Ok(Ok(Found {
            kept,
            invoice,
            gateway,
            changes,
        }))
    }

    async fn write_batch(&mut self, edit: &mut Edit, output: &mut Output<'_>) -> Result<()> {
        let batch = std::mem::take(&mut self.batch);
        let users = users_by_id(edit, batch.iter().map(|found| found.invoice.user_id)).await?;
        let mut written = Vec::with_capacity(batch.len());
        for mut found in batch {
            let invoice = &mut found.invoice;
            if !users.contains_key(&invoice.user_id) {
                let reason = user_is_absent(invoice.user_id);
                output.leave_out(TABLE, &found.kept, &reason)?;
                continue;
            }
            let at = invoice.created_at;
            let gateway = self.gateways.find(edit, &found.gateway, at, output).await?;
            (invoice.gateway_id, invoice.gateway) = gateway;
            if invoice.gateway != found.gateway {
                let key = &invoice.gateway;
                found.changes.push(format!("the gateway is {key}"));
            }
            output.write(TABLE, found.kept.id, &found.changes)?;
            written.push(found.invoice);
        }
        invoices::load(edit, &written, &mut self.uncounted).await
    }
}

/// A paid invoice has a time of payment, and no other has one.
fn paid_at(
    is_paid: bool,
    at: Moment,
    created_at: Timestamp,
    changes: &mut Vec<String>,
) -> Option<Timestamp> {
    match (is_paid, at) {
        (true, at) => Some(at.or("paid_at", created_at, changes)),
        (false, Moment::Null) => None,
        (false, _) => {
            changes.push("paid_at is left out, because the invoice is not paid".to_owned());
            None
        }
    }
}

impl Stage for Invoices<'_> {
    fn table(&self) -> &'static str {
        TABLE
    }

    fn take(&mut self, record: Record<'_>, output: &mut Output<'_>) -> Result<usize> {
        let kept = record.keep()?;
        match self.read(kept, record)? {
            Ok(found) => self.batch.push(found),
            Err((kept, reason)) => output.leave_out(TABLE, &kept, &reason)?,
        }
        Ok(record.size())
    }

    fn write<'a>(
        &'a mut self,
        edit: &'a mut Edit,
        output: &'a mut Output<'_>,
    ) -> LocalBoxFuture<'a, Result<()>> {
        Box::pin(self.write_batch(edit, output))
    }
}

/// Paid invoices of a currency in the dump and here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Compared {
    pub currency: String,
    pub dump: Paid,
    pub steward: Paid,
    /// The dump's sum less Steward's.
    pub difference: Exact,
}

/// Compares what the dump has with what is stored.
pub async fn compare(edit: &mut Edit, dump: BTreeMap<String, Paid>) -> Result<Vec<Compared>> {
    let mut stored: HashMap<String, Paid> = HashMap::new();
    for (code, count, sum) in invoices::paid_sums(edit).await? {
        let text = sum.to_string();
        let sum = Decimal::parse(&text).map(Exact::of);
        let sum = sum.ok_or_else(|| Error::internal("a sum is not a number"))?;
        stored.insert(code, Paid { count, sum });
    }
    let compared = dump.into_iter().map(|(currency, dump)| {
        let steward = stored.get(&currency).copied().unwrap_or_default();
        Compared {
            difference: dump.sum.less(steward.sum),
            currency,
            dump,
            steward,
        }
    });
    Ok(compared.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_and_show_their_cents() {
        let mut sum = Exact::default();
        for text in ["0.1", "0.2", "-1e-7", "1000000"] {
            sum.add(Exact::of(Decimal::parse(text).expect("a number")));
        }
        assert_eq!(sum.to_string(), "1000000.2999999");
        assert_eq!(Exact::default().to_string(), "0.00");
        assert_eq!(
            Exact::default().less(Exact(15_000_000_000)).to_string(),
            "-1.50"
        );
        assert_eq!(serde_json::json!(Exact(10_000_000_000)), "1.00");
    }
}
