//! The status of an invoice, and the operations that change it.

use super::input::Reason;
use super::{Invoice, InvoiceStatusChange, PAID, statistics, store};
use kernel::input::{Nullable, Patch, Place, Raw, Rule, Text, text_that};
use kernel::write::{Change, Edit, Target};
use kernel::{Result, inline_schema};

/// Whether an invoice is paid, has failed, or is neither. A paid invoice has not failed.
///
/// The filter of the list calls a paid invoice `paid`, the statistics call it `completed`; both
/// names are part of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InvoiceStatus {
    Paid,
    Failed,
    Pending,
}

impl InvoiceStatus {
    const ALL: [Self; 3] = [Self::Paid, Self::Failed, Self::Pending];

    fn filter_name(self) -> &'static str {
        match self {
            Self::Paid => "paid",
            Self::Failed => "failed",
            Self::Pending => "pending",
        }
    }

    /// The name in the tables of the statistics.
    pub fn statistics_name(self) -> &'static str {
        match self {
            Self::Paid => "completed",
            Self::Failed => "failed",
            Self::Pending => "pending",
        }
    }

    pub fn from_statistics_name(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|status| status.statistics_name() == name)
    }
}

impl Rule for InvoiceStatus {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let find = |text: &str| {
            Self::ALL
                .into_iter()
                .find(|status| status.filter_name() == text)
        };
        let is_known = |text: &str| find(text).is_some();
        let text = text_that(raw, place, is_known, "must be paid, pending or failed")?;
        find(&text)
    }
}

inline_schema!(InvoiceStatus, { "type": "string", "enum": ["paid", "pending", "failed"] });

impl Invoice {
    pub fn status(&self) -> InvoiceStatus {
        if self.is_paid {
            InvoiceStatus::Paid
        } else if self.failed_at.is_some() {
            InvoiceStatus::Failed
        } else {
            InvoiceStatus::Pending
        }
    }
}

pub async fn set_status(
    edit: &mut Edit,
    before: Target<Invoice>,
    change: InvoiceStatusChange,
) -> Result<Change<Invoice>> {
    let InvoiceStatusChange {
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
        // An invoice that is paid after all has not failed.
        invoice.failed_at = None;
        invoice.failed_reason = String::new();
    }
    save(edit, &before, &invoice).await?;
    Ok(Change::updated("status", &before, invoice))
}

/// Marks an invoice as failed. One that is marked already keeps its time and reason. It can still
/// be paid later.
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
    statistics::update(edit, Some(before), Some(invoice)).await
}

#[cfg(test)]
mod tests {
    use super::InvoiceStatus;

    #[test]
    fn every_status_is_read_back_from_its_statistics_name() {
        for status in InvoiceStatus::ALL {
            let name = status.statistics_name();
            assert_eq!(InvoiceStatus::from_statistics_name(name), Some(status));
        }
        assert_eq!(InvoiceStatus::from_statistics_name("paid"), None);
    }
}
