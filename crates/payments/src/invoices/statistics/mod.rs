//! Payment statistics: sums that every write of an invoice updates, so that reading them scans no
//! invoices.

pub mod http;
mod input;
mod period;
mod store;

use std::collections::BTreeMap;

use db::Conn;

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

/// A group of paid invoices whose sums are one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PaidBucket {
    /// The day of the payment.
    pub day: Day,
    pub currency_id: i64,
}

impl PaidBucket {
    /// `None` if the invoice is not paid.
    fn of(invoice: &Invoice) -> Option<Self> {
        Some(Self {
            day: Day::of(invoice.paid_at?),
            currency_id: invoice.currency_id,
        })
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
/// (`after` is `None`). Only this function, [`Additions`] and a restore write them.
pub async fn update(
    edit: &mut Edit,
    before: Option<&Invoice>,
    after: Option<&Invoice>,
) -> Result<()> {
    let mut deltas = Deltas::default();
    for (invoice, sign) in [(before, -1), (after, 1)] {
        if let Some(invoice) = invoice {
            deltas.add(invoice, sign);
        }
    }
    deltas.store(edit).await
}

/// Changes of the sums. Ordered, so that two writers that move invoices in opposite directions do
/// not deadlock.
#[derive(Default)]
struct Deltas {
    buckets: BTreeMap<Bucket, Delta>,
    paid: BTreeMap<PaidBucket, Delta>,
}

impl Deltas {
    fn add(&mut self, invoice: &Invoice, sign: i64) {
        let delta = self.buckets.entry(Bucket::of(invoice)).or_default();
        delta.add(invoice.amount, sign);
        if let Some(bucket) = PaidBucket::of(invoice) {
            let delta = self.paid.entry(bucket).or_default();
            delta.add(invoice.amount, sign);
        }
    }

    async fn store(&self, edit: &mut Edit) -> Result<()> {
        for (bucket, delta) in self.buckets.iter().filter(|(_, delta)| delta.count != 0) {
            store::add(edit, bucket, delta).await?;
        }
        for (bucket, delta) in self.paid.iter().filter(|(_, delta)| delta.count != 0) {
            store::add_paid(edit, bucket, delta).await?;
        }
        Ok(())
    }
}

/// The sums that many new invoices add to the statistics, each bucket once.
#[derive(Default)]
pub struct Additions {
    deltas: Deltas,
    invoices: usize,
}

/// The buckets that [`Additions`] may have, so that their memory is limited.
const MOST_BUCKETS: usize = 20_000;
/// The invoices that they may have: with the largest amounts, more would exceed 64 bits.
const MOST_INVOICES: usize = 1_000_000;

impl Additions {
    pub fn add(&mut self, invoice: &Invoice) {
        self.deltas.add(invoice, 1);
        self.invoices += 1;
    }

    /// Whether they must be stored before more invoices are added.
    pub fn is_full(&self) -> bool {
        let buckets = self.deltas.buckets.len() + self.deltas.paid.len();
        buckets >= MOST_BUCKETS || self.invoices >= MOST_INVOICES
    }

    pub async fn store(self, edit: &mut Edit) -> Result<()> {
        store::add_all(edit, &self.deltas.buckets).await?;
        Ok(store::add_all_paid(edit, &self.deltas.paid).await?)
    }
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
    pub by_paid_day: Option<BTreeMap<Day, Total>>,
}

pub async fn read(conn: &mut Conn, query: &StatisticsQuery) -> Result<Statistics> {
    query.check()?;
    let mut statistics = Statistics::default();
    let mut gateways: BTreeMap<i64, Total> = BTreeMap::new();
    let mut currencies: BTreeMap<i64, Total> = BTreeMap::new();
    let groups = match query.user_id {
        // A user has few invoices, so there are no sums of them.
        Some(user_id) => store::groups_of_user(conn, user_id.0, query).await?,
        None => store::groups(conn, query).await?,
    };
    for (group, total) in groups {
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
    let group_by = query.group_by.unwrap_or_default();
    if group_by.paid_day {
        let days = store::paid_days(conn, query).await?;
        statistics.by_paid_day = Some(days.into_iter().collect());
    }
    if group_by.currency {
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
