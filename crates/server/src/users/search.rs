//! Finding users by any part of their name or address.

use db::Conn;

use super::{User, store};
use crate::fold::fold;
use crate::input::{Place, Positive, Raw, Rule, is_blank, text};
use crate::page::Window;
use crate::timestamp::Timestamp;
use crate::{Result, inline_schema, input};

input! {
    /// Whom to look for.
    pub struct Search {
        /// Part of a username or email address, without regard to case: at least 3 characters.
        q: Wanted,
        /// The page, from 1.
        page: Option<Positive>,
        /// How many users a page has, 100 unless fewer are asked for.
        per_page: Option<Positive>,
    }
}

/// Without white space at its ends, and folded like what it is compared with.
#[derive(Debug)]
pub struct Wanted(String);

impl Rule for Wanted {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        let trimmed = text.trim_matches(is_blank);
        if trimmed.chars().count() < 3 {
            place.add("must be at least 3 characters long");
            return None;
        }
        Some(Self(fold(trimmed)))
    }
}

inline_schema!(Wanted, {
    "type": "string",
    "minLength": 3,
    "pattern": r"^\s*[^\s\u0000][^\u0000]+[^\s\u0000]\s*$",
});

/// Those who match exactly come first, then all others by id.
pub async fn search(
    conn: &mut Conn,
    now: Timestamp,
    Wanted(text): &Wanted,
    window: Window,
) -> Result<Vec<User>> {
    Ok(store::search::list(conn, now, text, window).await?)
}

pub async fn count(conn: &mut Conn, Wanted(text): &Wanted) -> Result<i64> {
    Ok(store::search::count(conn, text).await?)
}
