//! Request bodies about users, and the rules of their fields.

mod bulk;
mod include;
mod lookup;
mod password;
mod social;

use serde_json::json;

use kernel::input::{
    HIDDEN, Ids, Moment, Name, Patch, Place, Raw, Rule, Text, Word, is_blank, text_that,
};
use kernel::{inline_schema, input};

pub use self::bulk::{BulkUserChange, UserIds};
pub use self::include::Include;
pub use self::lookup::{NetworkName, ProfileValues, UNKNOWN_NETWORK_NAME, UserLookup};
pub use self::password::Password;
pub use self::social::{NetworkId, NewSocialLink, ProfileUrl, UNKNOWN_NETWORK};

pub const ACTIVE: &str = "active";
pub const BLOCKED: &str = "blocked";

input! {
    /// A user to create.
    pub struct NewUser {
        /// Unique without regard to case.
        username: Username,
        /// Unique without regard to case.
        email: Email,
        /// 8 to 1024 bytes in UTF-8. It is stored only as a hash.
        password: Password,
        /// The roles that the user is to have.
        role_ids: Option<Ids>,
    }
}

input! {
    /// What to change about a user. What is absent keeps its value.
    pub struct UserChanges {
        /// Unique without regard to case.
        username: Patch<Username>,
        /// Unique without regard to case.
        email: Patch<Email>,
        /// 8 to 1024 bytes in UTF-8. It is stored only as a hash.
        password: Patch<Password>,
        /// `active`, `inactive`, `pending`, `blocked` or a word of your own. `blocked` is a block
        /// without reason or end; anything else lifts a block.
        status: Patch<Status>,
    }
}

input! {
    /// The roles that a user is to have.
    pub struct UserRoles {
        /// They replace the list there was.
        role_ids: Ids,
    }
}

input! {
    /// The terms of a block.
    pub struct UserBlockTerms {
        reason: Option<Text<0, 1000>>,
        /// When the block expires, in the future; never unless given.
        until: Option<Moment>,
    }
}

input! {
    /// A device of a user.
    pub struct NewDevice {
        name: Text<1, 100>,
        /// What its browser or program calls itself.
        user_agent: Text<1, 512>,
    }
}

/// A name as [`Name`] defines it, without white space at its ends.
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
            place.add("must not begin or end with white space");
            return None;
        }
        Some(Self(name))
    }
}

inline_schema!(Username, {
    "type": "string",
    "minLength": 1,
    "maxLength": 100,
    "pattern": format!(r"^[^\s{HIDDEN}]([^{HIDDEN}]*[^\s{HIDDEN}])?$"),
});

/// Text with one `@`, and a domain of several parts after it.
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
        let email = text_that(raw, place, is_plausible, "must be an email address")?;
        if email.chars().count() > LONGEST_EMAIL {
            place.add(format!("must be at most {LONGEST_EMAIL} characters long"));
            return None;
        }
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

/// A word in lower case.
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
    "examples": json!([ACTIVE, "inactive", "pending", BLOCKED]),
});
