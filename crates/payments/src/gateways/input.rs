//! Request bodies of payment gateways, and the rules of their fields.

use kernel::input::{CharacterSet, Fault, Line, Patch, Place, Raw, Rule, text_that};
use kernel::{inline_schema, input};

pub type Name = Line<1, 100>;

input! {
    /// A payment gateway to create.
    pub struct NewGateway {
        /// The name that invoices refer to; unique and case-sensitive.
        key: GatewayKey,
        /// The display name. The default is the key.
        name: Option<Name>,
        /// Whether it accepts new invoices. The default is true.
        enabled: Option<bool>,
    }
}

input! {
    /// Changes to a payment gateway. Absent fields keep their value.
    pub struct GatewayChanges {
        /// The name that invoices refer to, existing ones included; unique and case-sensitive.
        key: Patch<GatewayKey>,
        /// The display name.
        name: Patch<Name>,
        /// Whether it accepts new invoices.
        enabled: Patch<bool>,
    }
}

/// The key of a gateway, which requests refer to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewayKey(String);

impl GatewayKey {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }
}

/// Wraps a stored key, which was validated when it was written.
impl From<&String> for GatewayKey {
    fn from(stored: &String) -> Self {
        Self(stored.clone())
    }
}

impl Rule for GatewayKey {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_key = |text: &str| {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
            (1..=64).contains(&text.len()) && text.bytes().all(allowed)
        };
        let fault = Fault::wrong_characters(CharacterSet::Identifier, 1, 64);
        text_that(raw, place, is_key, fault).map(Self)
    }
}

inline_schema!(GatewayKey, { "type": "string", "pattern": "^[A-Za-z0-9_.-]{1,64}$" });
