//! Marks invoices as failed that were not paid in time.

use super::input::Reason;
use super::status::{InvoiceStatus, fail};
use super::{store, target};
use crate::app::App;
use kernel::types::Timestamp;
use kernel::write::Edit;
use kernel::{Error, Result};

/// How many overdue invoices are read at a time.
const BATCH: i64 = 100;

/// Marks every pending invoice as failed that was created before `moment`.
pub async fn fail_unpaid_since(app: &App, moment: Timestamp) -> Result<()> {
    loop {
        let mut read = app.db.read_alone().await?;
        let overdue = store::overdue(&mut read, moment, BATCH).await?;
        drop(read);
        if overdue.is_empty() {
            return Ok(());
        }
        for id in overdue {
            fail_if_pending(app, id).await?;
        }
    }
}

/// Does nothing if the invoice was paid, marked as failed or deleted since it was found.
async fn fail_if_pending(app: &App, id: i64) -> Result<()> {
    let mut edit = Edit::maintenance(app).await?;
    let invoice = match target(&mut edit, id).await {
        Ok(invoice) => invoice,
        Err(Error::NotFound(_)) => return Ok(()),
        // Not to be skipped: the next batch would begin with the same invoice, for ever.
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
