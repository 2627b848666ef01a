//! Request bodies about users, and the rules of their fields.

use crate::passwords::Password;
use kernel::input::{
    Fault, Ids, LengthUnit, Name, Patch, Place, Raw, Rule, TextFormat, Word, is_blank, text_that,
};
use kernel::{inline_schema, input};

pub const ACTIVE: &str = "active";
pub const BLOCKED: &str = "blocked";

input! {
    /// A user to create.
    pub struct NewUser {
        /// Unique, ignoring case.
        username: Username,
        /// Unique, ignoring case.
        email: Email,
        /// 8 to 1024 bytes in UTF-8. It is stored only as a hash.
        password: Password,
        /// The ids of the user's roles.
        role_ids: Option<Ids>,
    }
}

input! {
    /// Changes to a user. Absent fields keep their value.
    pub struct UserChanges {
        /// Unique, ignoring case.
        username: Patch<Username>,
        /// Unique, ignoring case.
        email: Patch<Email>,
        /// 8 to 1024 bytes in UTF-8. It is stored only as a hash.
        password: Patch<Password>,
        /// `active`, `inactive`, `pending`, `blocked` or any other word. `blocked` is a block
        /// without reason or end; any other status lifts a block.
        status: Patch<Status>,
    }
}

input! {
    /// The new roles of a user.
    pub struct UserRoles {
        /// The ids of the roles. They replace the previous list.
        role_ids: Ids,
    }
}

/// A [`Name`] without white space at its ends.
#[derive(Debug)]
pub struct Username(String);

impl Username {
    pub fn into_string(self) -> String {
        self.0
    }
}

impl From<&String> for Username {
    fn from(stored: &String) -> Self {
        Self(stored.clone())
    }
}

impl Rule for Username {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let name = Name::<1, 100>::read(raw, place)?.into_string();
        if name.starts_with(is_blank) || name.ends_with(is_blank) {
            place.add(Fault::OuterSpace {});
            return None;
        }
        Some(Self(name))
    }
}

inline_schema!(Username, {
    "type": "string",
    "minLength": 1,
    "maxLength": 100,
    "pattern": format!(r"^[^\s{0}]([^{0}]*[^\s{0}])?$", input::HIDDEN),
});

/// Text with one `@`, followed by a domain of several parts.
#[derive(Debug)]
pub struct Email(String);

impl Email {
    pub fn into_string(self) -> String {
        self.0
    }
}

impl From<&String> for Email {
    fn from(stored: &String) -> Self {
        Self(stored.clone())
    }
}

const LONGEST_EMAIL: usize = 254;

impl Rule for Email {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_plausible = |email: &str| {
            let Some((name, domain)) = email.split_once('@') else {
                return false;
            };
            let in_parts = domain.contains('.') && domain.split('.').all(|part| !part.is_empty());
            !name.is_empty()
                && in_parts
                && !domain.contains('@')
                && !email.contains(is_blank_or_control)
        };
        let fault = Fault::wrong_format(TextFormat::Email);
        let email = text_that(raw, place, is_plausible, fault)?;
        place.check_length(
            email.chars().count(),
            0..=LONGEST_EMAIL,
            LengthUnit::Characters,
        )?;
        Some(Self(email))
    }
}

inline_schema!(Email, {
    "type": "string",
    "maxLength": LONGEST_EMAIL,
    "pattern": r"^[^\s@\x00-\x1f\x7f]+@[^\s@.\x00-\x1f\x7f]+(\.[^\s@.\x00-\x1f\x7f]+)+$",
});

pub fn is_blank_or_control(c: char) -> bool {
    is_blank(c) || c.is_control()
}

/// A lower-case word.
#[derive(Debug)]
pub struct Status(String);

impl Status {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Rule for Status {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        Word::<32>::read(raw, place).map(|word| Self(word.into_string()))
    }
}

inline_schema!(Status, {
    "type": "string",
    "pattern": "^[a-z0-9_-]{1,32}$",
    "examples": serde_json::json!([ACTIVE, "inactive", "pending", BLOCKED]),
});
