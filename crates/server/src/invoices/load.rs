//! Many invoices at once.

use std::collections::BTreeMap;

use super::{Invoice, statistics, store};
use crate::promo_codes;
use kernel::Result;
use kernel::write::Edit;

/// The id of the first of so many invoices that are about to be loaded; the others follow it.
pub async fn first_id(edit: &mut Edit, count: i64) -> Result<i64> {
    Ok(store::first_id(edit, count).await?)
}

/// Adds invoices that keep all rules already, and counts them wherever invoices are counted.
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
