//! Names of backups: each contains its time, so names sort by time.

use std::fmt;

use kernel::types::Timestamp;
use serde::{Serialize, Serializer};

const START: &str = "steward-";
const END: &str = ".db";

/// `steward-20260301T120000Z.db`
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Name(Timestamp);

impl Name {
    /// The pattern of a name in the OpenAPI document.
    pub const PATTERN: &str = "^steward-[0-9]{8}T[0-9]{6}Z\\.db$";

    pub fn at(moment: Timestamp) -> Self {
        Self(moment)
    }

    pub fn moment(self) -> Timestamp {
        self.0
    }

    /// The name one second later.
    pub fn next(self) -> Self {
        Self(Timestamp::from_unix(self.0.unix() + 1))
    }

    /// Accepts only what `Display` writes, so no name leads out of the folder.
    pub fn parse(text: &str) -> Option<Self> {
        let moment = text.strip_prefix(START)?.strip_suffix(END)?;
        let is_plain = |byte: u8| byte.is_ascii_digit() || b"TZ".contains(&byte);
        if moment.len() != 16 || !moment.bytes().all(is_plain) {
            return None;
        }
        let part = |from: usize, to: usize| &moment[from..to];
        let written = format!(
            "{}-{}-{}:{}:{}",
            part(0, 4),
            part(4, 6),
            part(6, 11),
            part(11, 13),
            part(13, 16)
        );
        let name = Self(written.parse().ok()?);
        // Rejects second 60, and any other text with a different canonical name.
        (name.to_string() == text).then_some(name)
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = self.0.to_string().replace(['-', ':'], "");
        write!(f, "{START}{moment}{END}")
    }
}

impl Serialize for Name {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

kernel::inline_schema!(Name, { "type": "string", "pattern": Name::PATTERN });

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_as_it_is_written() {
        let name = Name::at("2026-03-01T12:00:00Z".parse().expect("a moment"));
        assert_eq!(name.to_string(), "steward-20260301T120000Z.db");
        assert_eq!(Name::parse("steward-20260301T120000Z.db"), Some(name));
        assert!(name.next() > name && name.next().to_string() > name.to_string());
    }

    #[test]
    fn nothing_else_is_a_name() {
        for text in [
            "",
            "steward.db",
            "steward-.db",
            "steward-20260301T120000Z",
            "steward-20260301T120000Z.db.json",
            "Steward-20260301T120000Z.db",
            "steward-20260301T120060Z.db",
            "steward-20261301T120000Z.db",
            "steward-2026030ZT120000Z.db",
            "steward-20260301 120000Z.db",
            "steward-20260301T120000z.db",
            "steward-../../../etc/pass.db",
            "../steward-20260301T120000Z.db",
            "./steward-20260301T120000Z.db",
            "steward-20260301T120000Z.db/..",
            "steward-20260301T120000Z.db\0",
            "steward-２0260301T12000Z.db",
        ] {
            assert_eq!(Name::parse(text), None, "{text}");
        }
    }
}
