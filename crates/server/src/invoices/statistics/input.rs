//! Query parameters of the statistics, and the rules of their fields.

use kernel::input::{Faults, Place, Positive, Raw, Rule, text_that};
use kernel::types::Day;
use kernel::{Result, inline_schema, input};

input! {
    /// Which invoices to include, and how to group them.
    pub struct StatisticsQuery {
        /// Only invoices created on or after this day (UTC).
        start_date: Option<Day>,
        /// Only invoices created on or before this day (UTC).
        end_date: Option<Day>,
        /// Only invoices in this currency.
        currency_id: Option<Positive>,
        /// `currency` to show `by_currency` as well.
        group_by: Option<Grouping>,
    }
}

impl StatisticsQuery {
    pub fn check(&self) -> Result<()> {
        match self.start_date.zip(self.end_date) {
            Some((start, end)) if start > end => {
                Err(Faults::one("start_date", "must not be after end_date").into())
            }
            _ => Ok(()),
        }
    }
}

/// The value of `group_by`. `currency` is the only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grouping;

impl Rule for Grouping {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_known = |text: &str| text == "currency";
        text_that(raw, place, is_known, "must be currency").map(|_| Self)
    }
}

inline_schema!(Grouping, { "type": "string", "enum": ["currency"] });
