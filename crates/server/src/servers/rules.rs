//! What the fields of a server may hold.

use std::net::IpAddr;

use serde::Serialize;

use kernel::inline_schema;
use kernel::input::{Place, Raw, Rule, text, text_that};
use kernel::secret::Secret;

const MAX_GAME: usize = 50;
const MAX_PASSWORD: usize = 255;

/// An IPv4 or IPv6 address, kept as it was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Address(String);

impl Address {
    pub fn from_stored(address: String) -> Self {
        Self(address)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Rule for Address {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_address = |text: &str| text.parse::<IpAddr>().is_ok();
        text_that(raw, place, is_address, "must be an IPv4 or IPv6 address").map(Self)
    }
}

inline_schema!(Address, {
    "type": "string",
    "anyOf": [{ "format": "ipv4" }, { "format": "ipv6" }],
});

/// A kind of game, such as `cs2`. The list is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Game(String);

impl Game {
    pub fn from_stored(game: String) -> Self {
        Self(game)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Rule for Game {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_game = |text: &str| {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
            (1..=MAX_GAME).contains(&text.len()) && text.bytes().all(allowed)
        };
        let sentence = "must be 1 to 50 letters, digits, underscores, hyphens and dots";
        text_that(raw, place, is_game, sentence).map(Self)
    }
}

inline_schema!(Game, {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_GAME,
    "pattern": "^[A-Za-z0-9_.-]+$",
});

/// The password of a server's remote console, as its owner knows it.
#[derive(Clone, Debug)]
pub struct RconPassword(Secret<String>);

impl RconPassword {
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }
}

impl Rule for RconPassword {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        if !(1..=MAX_PASSWORD).contains(&text.len()) {
            place.add(format!("must be 1 to {MAX_PASSWORD} bytes long"));
            return None;
        }
        Some(Self(Secret::new(text.into_owned())))
    }
}

inline_schema!(RconPassword, {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_PASSWORD,
    "pattern": r"^[^\u0000]+$",
    "writeOnly": true,
});

/// A field that is shown only when it is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Include;

impl Rule for Include {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_known = |text: &str| text == "query_port";
        text_that(raw, place, is_known, "must be query_port").map(|_| Self)
    }
}

inline_schema!(Include, { "type": "string", "enum": ["query_port"] });
