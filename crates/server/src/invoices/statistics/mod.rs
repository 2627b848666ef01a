//! Payment statistics: sums that are kept, not counted anew for everyone who asks.

pub mod http;
mod period;
mod store;

use std::collections::BTreeMap;

use db::Conn;

pub use self::period::Stretch;

use self::store::Group;
use super::Invoice;
use crate::{currencies, gateways};
use kernel::input::{Faults, Place, Positive, Raw, Rule, text_that};
use kernel::types::Day;
use kernel::types::money::{Money, Sum};
use kernel::write::Edit;
use kernel::{Result, inline_schema, input};

/// What has become of an invoice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum State {
    Completed,
    Failed,
    Pending,
}

impl State {
    const ALL: [Self; 3] = [Self::Completed, Self::Failed, Self::Pending];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Pending => "pending",
        }
    }

    fn from_stored(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|state| state.as_str() == name)
    }
}

/// Invoices that are counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bucket {
    pub day: Day,
    pub gateway_id: i64,
    pub currency_id: i64,
    pub state: State,
}

impl Bucket {
    fn of(invoice: &Invoice) -> Self {
        Self {
            day: Day::of(invoice.created_at),
            gateway_id: invoice.gateway_id,
            currency_id: invoice.currency_id,
            state: invoice.state(),
        }
    }
}

/// What is to be added to a bucket.
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

/// Makes the statistics follow an invoice that comes, changes or goes. Only this and [`add_all`]
/// write them.
pub async fn follow(
    edit: &mut Edit,
    before: Option<&Invoice>,
    after: Option<&Invoice>,
) -> Result<()> {
    // Two writers that move invoices in opposite directions must not wait for each other, so
    // everyone takes the buckets in the same order.
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

/// The same for many invoices that come, each bucket at once.
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

input! {
    /// Which invoices to sum up.
    pub struct StatisticsQuery {
        /// The first day (UTC) that invoices were created on.
        start_date: Option<Day>,
        /// The last day (UTC) that invoices were created on.
        end_date: Option<Day>,
        /// Only invoices in this currency.
        currency_id: Option<Positive>,
        /// `currency` for one more list, `by_currency`.
        group_by: Option<Grouping>,
    }
}

impl StatisticsQuery {
    fn check(&self) -> Result<()> {
        match self.start_date.zip(self.end_date) {
            Some((start, end)) if start > end => {
                Err(Faults::one("start_date", "must not be after end_date").into())
            }
            _ => Ok(()),
        }
    }
}

/// What the sums can be told apart by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grouping;

impl Rule for Grouping {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_known = |text: &str| text == "currency";
        text_that(raw, place, is_known, "must be currency").map(|_| Self)
    }
}

inline_schema!(Grouping, { "type": "string", "enum": ["currency"] });

/// How much, and how often.
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
    /// By the gateway's id, with its name.
    pub by_gateway: Vec<(i64, String, Total)>,
    pub by_day: BTreeMap<Day, Total>,
    /// By the currency's id, with its code.
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
                state,
            } => {
                let of_state = match state {
                    State::Completed => &mut statistics.completed,
                    State::Pending => &mut statistics.pending,
                    State::Failed => &mut statistics.failed,
                };
                *of_state += total;
                statistics.total += total;
                *gateways.entry(gateway_id).or_default() += total;
                *currencies.entry(currency_id).or_default() += total;
            }
        }
    }
    let ids: Vec<i64> = gateways.keys().copied().collect();
    let known = gateways::by_ids(conn, &ids).await?;
    let names = known.into_iter().map(|gateway| (gateway.id, gateway.name));
    statistics.by_gateway = named(gateways, names.collect());
    if query.group_by.is_some() {
        let ids: Vec<i64> = currencies.keys().copied().collect();
        let known = currencies::by_ids(conn, &ids).await?;
        let codes = known
            .into_iter()
            .map(|currency| (currency.id, currency.code.into_string()));
        statistics.by_currency = Some(named(currencies, codes.collect()));
    }
    Ok(statistics)
}

fn named(
    totals: BTreeMap<i64, Total>,
    mut names: BTreeMap<i64, String>,
) -> Vec<(i64, String, Total)> {
    let name = |(id, total)| (id, names.remove(&id).unwrap_or_default(), total);
    totals.into_iter().map(name).collect()
}
