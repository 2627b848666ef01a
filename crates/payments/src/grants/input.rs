//! Request bodies and query parameters of grants.

use super::GrantState;
use kernel::input::{Fault, Place, Positive, Raw, Rule, Text, TextFormat, text_that};
use kernel::list::{ListQuery, ListSpec, Parameter};
use kernel::types::SteamId;
use kernel::{inline_schema, input};

input! {
    /// A product to give to a user, without an invoice.
    pub struct NewGrant {
        user_id: Positive,
        product_id: Positive,
        /// The server that the product is for, if it lets the buyer choose one.
        server_id: Option<Positive>,
        /// Why it is given.
        reason: Option<Text<0, 1000>>,
    }
}

input! {
    /// How a step was carried out by hand.
    pub struct StepResolution {
        note: Text<1, 1000>,
    }
}

input! {
    /// Filters. A grant must match all of them.
    pub struct GrantFilters {
        /// Only grants to this user.
        user_id: Option<Positive>,
        /// Only grants of this product.
        product_id: Option<Positive>,
        /// Only grants of this invoice.
        invoice_id: Option<Positive>,
        /// Only grants for this server, which the buyer chose.
        server_id: Option<Positive>,
        /// Only grants in this state.
        state: Option<GrantState>,
    }
}

impl ListQuery for GrantFilters {
    // Without page numbers: new grants would shift all pages.
    const LIST: &'static ListSpec = &ListSpec {
        parameters: &[Parameter::After, Parameter::Size, Parameter::Filters],
        ..ListSpec::PAGED
    };
}

/// The reason why a plugin could not deliver.
pub type FailureReason = Text<0, 1000>;

input! {
    /// Why a plugin could not deliver.
    pub struct DeliveryFailure {
        reason: Option<FailureReason>,
    }
}

input! {
    /// Filters of deliveries.
    pub struct PendingDeliveryFilters {
        /// Only deliveries for this player.
        steam_id64: Option<SteamId64>,
    }
}

/// A SteamID64.
#[derive(Clone, Copy, Debug)]
pub struct SteamId64(pub SteamId);

impl Rule for SteamId64 {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let parse = |text: &str| {
            let is_plain = text.bytes().all(|byte| byte.is_ascii_digit());
            SteamId::parse(text).filter(|_| is_plain)
        };
        let is_steam_id = |text: &str| parse(text).is_some();
        let fault = Fault::wrong_format(TextFormat::SteamId64);
        let text = text_that(raw, place, is_steam_id, fault)?;
        parse(&text).map(Self)
    }
}

inline_schema!(SteamId64, { "type": "string", "pattern": "^7656119[0-9]{10}$" });
