//! Payment statistics: sums that every write of an invoice updates, so that reading them does not
//! scan the invoices.

pub mod http;
mod input;
mod period;
mod store;

use std::collections::BTreeMap;

use db::{Conn, Tx};

pub use self::input::{Grouping, StatisticsQuery};
pub use self::period::Period;

use self::store::Group;
use super::{Invoice, InvoiceStatus};
use crate::{currencies, gateways};
use kernel::Result;
use kernel::types::Day;
use kernel::types::money::{Money, Sum};
use kernel::write::Edit;

/// A group of invoices whose sums are one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bucket {
    pub day: Day,
    pub gateway_id: i64,
    pub currency_id: i64,
    pub status: InvoiceStatus,
}

impl Bucket {
    fn of(invoice: &Invoice) -> Self {
        Self {
            day: Day::of(invoice.created_at),
            gateway_id: invoice.gateway_id,
            currency_id: invoice.currency_id,
            status: invoice.status(),
        }
    }
}

/// A change of the sums of a bucket.
#[derive(Clone, Copy, Debug, Default)]
pub struct Delta {
    pub whole: i64,
    pub fraction: i64,
    pub count: i64,
}

impl Delta {
    fn add(&mut self, amount: Money, sign: i64) {
        self.whole += sign * (amount.parts() / Money::ONE);
        self.fraction += sign * (amount.parts() % Money::ONE);
        self.count += sign;
    }
}

/// Updates the statistics for an invoice that is created (`before` is `None`), changed, or deleted
/// (`after` is `None`). Only this function, [`add_all`] and [`rebuild`] write them.
pub async fn update(
    edit: &mut Edit,
    before: Option<&Invoice>,
    after: Option<&Invoice>,
) -> Result<()> {
    // Ordered, so that two writers which move invoices in opposite directions do not deadlock.
    let mut deltas: BTreeMap<Bucket, Delta> = BTreeMap::new();
    for (invoice, sign) in [(before, -1), (after, 1)] {
        if let Some(invoice) = invoice {
            let delta = deltas.entry(Bucket::of(invoice)).or_default();
            delta.add(invoice.amount, sign);
        }
    }
    for (bucket, delta) in deltas.iter().filter(|(_, delta)| delta.count != 0) {
        store::add(edit, bucket, delta).await?;
    }
    Ok(())
}

/// Updates the statistics for many new invoices, each bucket once.
pub async fn add_all(edit: &mut Edit, invoices: &[Invoice]) -> Result<()> {
    let mut deltas: BTreeMap<Bucket, Delta> = BTreeMap::new();
    for invoice in invoices {
        let delta = deltas.entry(Bucket::of(invoice)).or_default();
        delta.add(invoice.amount, 1);
    }
    for (bucket, delta) in &deltas {
        store::add(edit, bucket, delta).await?;
    }
    Ok(())
}

/// Computes the statistics, which must be empty, from all invoices.
pub async fn rebuild(tx: &mut Tx) -> Result<()> {
    Ok(store::rebuild(tx).await?)
}

/// The sum and the number of invoices.
#[derive(Clone, Copy, Debug, Default)]
pub struct Total {
    pub amount: Sum,
    pub count: i64,
}

impl std::ops::AddAssign for Total {
    fn add_assign(&mut self, other: Self) {
        self.amount += other.amount;
        self.count += other.count;
    }
}

#[derive(Debug, Default)]
pub struct Statistics {
    pub total: Total,
    pub completed: Total,
    pub pending: Total,
    pub failed: Total,
    /// Gateway id, gateway name, total.
    pub by_gateway: Vec<(i64, String, Total)>,
    pub by_day: BTreeMap<Day, Total>,
    /// Currency id, currency code, total.
    pub by_currency: Option<Vec<(i64, String, Total)>>,
}

pub async fn read(conn: &mut Conn, query: &StatisticsQuery) -> Result<Statistics> {
    query.check()?;
    let mut statistics = Statistics::default();
    let mut gateways: BTreeMap<i64, Total> = BTreeMap::new();
    let mut currencies: BTreeMap<i64, Total> = BTreeMap::new();
    for (group, total) in store::groups(conn, query).await? {
        match group {
            Group::Day(day) => {
                statistics.by_day.insert(day, total);
            }
            Group::Kind {
                gateway_id,
                currency_id,
                status,
            } => {
                let of_status = match status {
                    InvoiceStatus::Paid => &mut statistics.completed,
                    InvoiceStatus::Pending => &mut statistics.pending,
                    InvoiceStatus::Failed => &mut statistics.failed,
                };
                *of_status += total;
                statistics.total += total;
                *gateways.entry(gateway_id).or_default() += total;
                *currencies.entry(currency_id).or_default() += total;
            }
        }
    }
    let ids: Vec<i64> = gateways.keys().copied().collect();
    let known = gateways::by_ids(conn, &ids).await?;
    let names = known.into_iter().map(|gateway| (gateway.id, gateway.name));
    statistics.by_gateway = with_names(gateways, names.collect());
    if query.group_by.is_some() {
        let ids: Vec<i64> = currencies.keys().copied().collect();
        let known = currencies::by_ids(conn, &ids).await?;
        let codes = known
            .into_iter()
            .map(|currency| (currency.id, currency.code.into_string()));
        statistics.by_currency = Some(with_names(currencies, codes.collect()));
    }
    Ok(statistics)
}

fn with_names(
    totals: BTreeMap<i64, Total>,
    mut names: BTreeMap<i64, String>,
) -> Vec<(i64, String, Total)> {
    let name = |(id, total)| (id, names.remove(&id).unwrap_or_default(), total);
    totals.into_iter().map(name).collect()
}
