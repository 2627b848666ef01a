//! Query parameters of the statistics, and the rules of their fields.

use kernel::input::{Fault, Faults, Place, Positive, Raw, Rule, some_of};
use kernel::types::Day;
use kernel::{Result, inline_schema, input};

input! {
    /// Filters and grouping of the statistics.
    pub struct StatisticsQuery {
        /// Only invoices created on or after this day (UTC).
        start_date: Option<Day>,
        /// Only invoices created on or before this day (UTC).
        end_date: Option<Day>,
        /// Only invoices in this currency.
        currency_id: Option<Positive>,
        /// Only invoices of this user.
        user_id: Option<Positive>,
        /// Additional lists to show: `currency` for `by_currency`, `paid_day` for `by_paid_day`,
        /// separated by commas.
        group_by: Option<Grouping>,
    }
}

impl StatisticsQuery {
    pub fn check(&self) -> Result<()> {
        match self.start_date.zip(self.end_date) {
            Some((start, end)) if start > end => {
                let fault = Fault::After { other: "end_date" };
                Err(Faults::one("start_date", fault).into())
            }
            _ => Ok(()),
        }
    }
}

/// The value of `group_by`: additional lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grouping {
    pub currency: bool,
    pub paid_day: bool,
}

impl Rule for Grouping {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let [currency, paid_day] = some_of(raw, place, &["currency", "paid_day"])?;
        Some(Self { currency, paid_day })
    }
}

inline_schema!(Grouping, {
    "type": "string",
    "pattern": "^(currency|paid_day)(,(currency|paid_day))*$",
});
