//! Bulk loading of invoices.

use std::collections::BTreeMap;

use super::{Invoice, statistics, store};
use crate::promo_codes;
use kernel::Result;
use kernel::write::Edit;

/// Reserves `count` consecutive ids for invoices to load, and returns the first.
pub async fn first_id(edit: &mut Edit, count: i64) -> Result<i64> {
    Ok(store::first_id(edit, count).await?)
}

/// Inserts invoices that are valid already, and updates the promo codes and the statistics.
pub async fn load(edit: &mut Edit, invoices: &[Invoice]) -> Result<()> {
    store::load(edit, invoices).await?;
    let mut uses: BTreeMap<i64, i64> = BTreeMap::new();
    for promo in invoices.iter().filter_map(|invoice| invoice.promo.as_ref()) {
        *uses.entry(promo.id).or_default() += 1;
    }
    for (promo_code_id, times) in uses {
        promo_codes::count_uses(edit, promo_code_id, times).await?;
    }
    statistics::add_all(edit, invoices).await
}
