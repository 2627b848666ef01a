//! The status of an invoice, and the operations that change it.

use super::resource::Reason;
use super::{Invoice, InvoiceRefund, InvoiceStatusChange, Refund, statistics, store};
use crate::grants::{self, Giving};
use crate::products;
use accounts::users::User;
use kernel::input::{Fault, Nullable, Patch, Place, Raw, Rule, Text, text_that};
use kernel::write::audit::Entry;
use kernel::write::{Change, Edit, Target};
use kernel::{Error, ErrorCode, Result, inline_schema};

pub const PAID: Error = Error::Rejected {
    code: ErrorCode::InvoicePaid,
    message: "The invoice is paid. Set its status to unpaid first.",
};

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
        let fault = Fault::not_one_of(&["paid", "pending", "failed"]);
        let text = text_that(raw, place, is_known, fault)?;
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

/// Sets whether an invoice is paid. Then its product is given, or taken back.
pub async fn set_status(
    edit: &mut Edit,
    Payment {
        invoice: before,
        recipient,
    }: Payment,
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
        invoice.refund = None;
    }
    save(edit, &before, &invoice).await?;
    let mut entries = Vec::new();
    if is_paid != before.is_paid {
        entries = follow_payment(edit, &invoice, recipient).await?;
    }
    Ok(Change::updated("status", &before, invoice).followed_by(entries))
}

/// An invoice to pay, locked with the user who gets its product.
pub struct Payment {
    pub invoice: Target<Invoice>,
    pub recipient: Option<User>,
}

/// Gives the product of an invoice that is paid now, or takes it back. Returns the audit entries.
async fn follow_payment(
    edit: &mut Edit,
    invoice: &Invoice,
    recipient: Option<User>,
) -> Result<Vec<Entry>> {
    let (Some(order), Some(mut recipient)) = (invoice.order, recipient) else {
        return Ok(Vec::new());
    };
    if !invoice.is_paid {
        return grants::revoke_of_invoice(edit, &mut recipient, invoice.id).await;
    }
    let product = products::hold(edit, order.product_id).await?;
    let product = product.ok_or_else(|| Error::internal("an invoice of no product"))?;
    let giving = Giving {
        product,
        invoice_id: Some(invoice.id),
        server_id: order.server_id,
        reason: String::new(),
    };
    grants::give(edit, &mut recipient, giving).await
}

const NOT_PAID: Error = Error::Conflict {
    code: ErrorCode::InvoiceNotPaid,
    message: "The invoice is not paid, so there is nothing to refund.",
};

/// Records that the money of a paid invoice went back. A second time changes nothing.
pub async fn refund(
    edit: &mut Edit,
    Payment {
        invoice: before,
        recipient,
    }: Payment,
    InvoiceRefund { kind, reason }: InvoiceRefund,
) -> Result<Change<Invoice>> {
    if !before.is_paid && before.refund.is_none() {
        return Err(NOT_PAID);
    }
    let mut invoice = before.clone();
    let mut entries = Vec::new();
    if before.is_paid {
        let at = edit.now();
        invoice.is_paid = false;
        invoice.paid_at = None;
        invoice.failed_at = Some(at);
        invoice.failed_reason = reason.unwrap_or_default().into_string();
        invoice.refund = Some(Refund { kind, at });
        save(edit, &before, &invoice).await?;
        entries = follow_payment(edit, &invoice, recipient).await?;
    }
    Ok(Change::updated("refund", &before, invoice).followed_by(entries))
}

/// Marks an invoice as failed. One that has failed already keeps its time and reason. It can still
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
