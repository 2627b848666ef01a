//! Whether an invoice was paid, or failed to be.

use super::{Invoice, PAID, statistics, store};
use kernel::input::{Nullable, Patch, Text};
use kernel::write::{Change, Edit, Target};
use kernel::{Result, input};

type TransactionId = Text<1, 255>;
pub type Reason = Text<0, 1000>;

input! {
    /// Whether an invoice is paid.
    pub struct StatusChange {
        is_paid: bool,
        /// What the gateway calls the payment. Kept unless given; null clears it.
        transaction_id: Patch<Nullable<TransactionId>>,
    }
}

input! {
    /// Why an invoice failed.
    pub struct Failure {
        reason: Option<Reason>,
    }
}

pub async fn set_status(
    edit: &mut Edit,
    before: Target<Invoice>,
    change: StatusChange,
) -> Result<Change<Invoice>> {
    let StatusChange {
        is_paid,
        transaction_id,
    } = change;
    let mut invoice = before.clone();
    if let Patch::Set(Nullable(id)) = transaction_id {
        invoice.transaction_id = id.map(Text::into_string);
    }
    if is_paid != before.is_paid {
        invoice.is_paid = is_paid;
        invoice.paid_at = is_paid.then_some(edit.now());
        // Once paid, it has not failed after all.
        invoice.failed_at = None;
        invoice.failed_reason = String::new();
    }
    save(edit, &before, &invoice).await?;
    Ok(Change::updated("status", &before, invoice))
}

/// Marks an invoice as one that will not be paid, as far as anybody can tell. One that is
/// marked already stays as it is.
pub async fn fail(
    edit: &mut Edit,
    before: Target<Invoice>,
    reason: Reason,
) -> Result<Change<Invoice>> {
    if before.is_paid {
        return Err(PAID);
    }
    let mut invoice = before.clone();
    if before.failed_at.is_none() {
        invoice.failed_at = Some(edit.now());
        invoice.failed_reason = reason.into_string();
    }
    save(edit, &before, &invoice).await?;
    Ok(Change::updated("fail", &before, invoice))
}

async fn save(edit: &mut Edit, before: &Invoice, invoice: &Invoice) -> Result<()> {
    store::update(edit, invoice).await?;
    statistics::follow(edit, Some(before), Some(invoice)).await
}
