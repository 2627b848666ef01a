//! Marks invoices as failed that were not paid in time.

use super::resource::Reason;
use super::status::{InvoiceStatus, fail};
use super::{store, target};
use kernel::types::Timestamp;
use kernel::write::Edit;
use kernel::{Core, Error, Result};

/// The number of overdue invoices read at a time.
const BATCH: i64 = 100;

/// Marks every pending invoice created before `moment` as failed.
pub async fn fail_unpaid_since(core: &Core, moment: Timestamp) -> Result<()> {
    loop {
        let mut read = core.db.read_alone().await?;
        let overdue = store::overdue(&mut read, moment, BATCH).await?;
        drop(read);
        if overdue.is_empty() {
            return Ok(());
        }
        for id in overdue {
            fail_if_pending(core, id).await?;
        }
    }
}

/// Marks the invoice as failed, unless it was paid, marked or deleted in the meantime.
async fn fail_if_pending(core: &Core, id: i64) -> Result<()> {
    let mut edit = Edit::maintenance(core).await?;
    let invoice = match target(&mut edit, id).await {
        Ok(invoice) => invoice,
        Err(Error::NotFound(_)) => return Ok(()),
        // Skipping an invoice would loop forever: the next batch would begin with it again.
        Err(error) => return Err(error),
    };
    if invoice.status() != InvoiceStatus::Pending {
        return Ok(());
    }
    let reason = Reason::from(&"Not paid in time".to_owned());
    let change = fail(&mut edit, invoice, reason).await?;
    edit.commit(change).await?;
    Ok(())
}
