//! Invoices that nobody paid in time.

use super::status::{Reason, fail};
use super::{store, target};
use crate::app::App;
use kernel::Result;
use kernel::types::Timestamp;
use kernel::write::Edit;

const READ_AT_ONCE: i64 = 100;

/// Marks as failed what was written before `moment` and is still neither paid nor failed.
pub async fn fail_unpaid_since(app: &App, moment: Timestamp) -> Result<()> {
    loop {
        let mut read = app.db.read_alone().await?;
        let overdue = store::overdue(&mut read, moment, READ_AT_ONCE).await?;
        drop(read);
        if overdue.is_empty() {
            return Ok(());
        }
        for id in overdue {
            fail_if_open(app, id).await?;
        }
    }
}

/// It may have been paid or deleted since it was found.
async fn fail_if_open(app: &App, id: i64) -> Result<()> {
    let mut edit = Edit::maintenance(app).await?;
    let Ok(invoice) = target(&mut edit, id).await else {
        return Ok(());
    };
    if invoice.is_paid || invoice.failed_at.is_some() {
        return Ok(());
    }
    let change = fail(
        &mut edit,
        invoice,
        Reason::from(&"Not paid in time".to_owned()),
    )
    .await?;
    edit.commit(change).await?;
    Ok(())
}
