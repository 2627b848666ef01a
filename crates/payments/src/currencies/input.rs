//! Request bodies and query parameters of currencies, and the rules of their fields.

use serde::Serialize;

use kernel::input::{CharacterSet, Fault, Patch, Place, Raw, Rule, text_that};
use kernel::types::money::{Money, Rate};
use kernel::{inline_schema, input};

input! {
    /// A currency to create.
    pub struct NewCurrency {
        /// Unique, ignoring case.
        code: Code,
        /// The smallest amount of an invoice in this currency.
        minimum_value: Money,
        /// How many units of the base currency one unit is worth.
        exchange_rate: Rate,
    }
}

input! {
    /// Changes to a currency. Absent fields keep their value.
    pub struct CurrencyChanges {
        /// Unique, ignoring case.
        code: Patch<Code>,
        /// The smallest amount of an invoice in this currency.
        minimum_value: Patch<Money>,
        /// How many units of the base currency one unit is worth.
        exchange_rate: Patch<Rate>,
    }
}

/// Three ASCII letters or digits, spelled as the client sent them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Code(String);

impl Code {
    pub fn from_stored(code: String) -> Self {
        Self(code)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn into_string(self) -> String {
        self.0
    }

    /// The unique form.
    pub fn folded(&self) -> String {
        self.0.to_ascii_lowercase()
    }
}

impl Rule for Code {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_code =
            |text: &str| text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let fault = Fault::wrong_characters(CharacterSet::Alphanumeric, 3, 3);
        text_that(raw, place, is_code, fault).map(Self)
    }
}

inline_schema!(Code, { "type": "string", "pattern": "^[A-Za-z0-9]{3}$" });
