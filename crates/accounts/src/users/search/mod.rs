//! Finds users by any substring of their username or email address.

mod cache;
pub mod http;
mod rarest_trigrams;
mod store;

use db::Conn;

use self::cache::CachedTotals;
pub use self::cache::{Counted, Since};
use self::rarest_trigrams::RarestTrigrams;

use super::Listed;
use super::included::Include;
use kernel::input::{Fault, LengthUnit, Place, Raw, Rule, is_blank, normalised, text};
use kernel::list::{ListQuery, ListSpec, Parameter, Window};
use kernel::types::Timestamp;
use kernel::types::case_fold::fold;
use kernel::{Result, inline_schema, input};

input! {
    /// The users to find, and the parts of them to show.
    pub struct Search {
        /// Part of a username or email address, at least 3 characters. Case is ignored.
        q: SearchText,
        /// Additional parts to show: `roles`, `social` and `block`, separated by commas.
        include: Option<Include>,
    }
}

impl ListQuery for Search {
    // Without cursors: exact matches come before the others.
    const LIST: &'static ListSpec = &ListSpec {
        parameters: &[Parameter::Filters, Parameter::Page, Parameter::Size],
        default_size: 100,
        ..ListSpec::PAGED
    };
}

/// A search text, trimmed and folded like the columns it is compared with.
#[derive(Debug)]
pub struct SearchText(String);

impl Rule for SearchText {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        // Usernames are normalised in the same way.
        let trimmed = normalised(text.trim_matches(is_blank).to_owned());
        if trimmed.chars().count() < 3 {
            place.add(Fault::TooShort {
                min: 3,
                max: None,
                unit: LengthUnit::Characters,
            });
            return None;
        }
        Some(Self(fold(&trimmed)))
    }
}

inline_schema!(SearchText, {
    "type": "string",
    "minLength": 3,
    "pattern": r"^\s*[^\s\x00][^\x00]+[^\s\x00]\s*$",
});

/// The folded text, and its pieces that are looked up in the trigram index.
pub struct Terms<'a> {
    pub text: &'a str,
    pub pieces: Vec<&'a str>,
}

/// The caches that all searches share.
#[derive(Default)]
pub struct Searches {
    totals: CachedTotals,
    trigrams: RarestTrigrams,
}

/// Up to this many matches are read at once, without counting first.
const FEW: usize = 100;

/// One search: the text, and the window of matches to read.
struct Request<'a> {
    now: Timestamp,
    text: &'a str,
    window: Window,
}

/// Exact matches, then all others by id, and the total number of matches.
pub async fn search(
    conn: &mut Conn,
    now: Timestamp,
    SearchText(text): &SearchText,
    window: Window,
    searches: &Searches,
) -> Result<(Vec<Listed>, i64)> {
    let request = Request { now, text, window };
    let cached = searches.totals.get(text);
    if let Some(cached) = cached {
        let (exact, since) = store::since(conn, now, text, cached.last_id).await?;
        if let Some(counted) = since.and_then(|since| cached.update(since)) {
            return many(conn, &request, searches, exact, counted).await;
        }
    }
    let terms = searches.terms(conn, &request).await?;
    if cached.is_none() {
        let found = store::some(conn, now, &terms, FEW as i64 + 1).await?;
        if found.len() <= FEW {
            return Ok(few(found, text, window));
        }
    }
    let (exact, counted) = store::count(conn, now, &terms).await?;
    let counted = counted.ok_or(db::Error::NoRow)?;
    many(conn, &request, searches, exact, counted).await
}

impl Searches {
    async fn terms<'a>(&self, conn: &mut Conn, request: &Request<'a>) -> Result<Terms<'a>> {
        let Request { now, text, .. } = *request;
        let pieces = self.trigrams.of(conn, now, text).await?;
        Ok(Terms { text, pieces })
    }
}

/// The page, computed from all matches.
fn few(mut found: Vec<Listed>, text: &str, window: Window) -> (Vec<Listed>, i64) {
    let total = found.len() as i64;
    let is_exact = |user: &Listed| fold(&user.username) == text || fold(&user.email) == text;
    found.sort_by_cached_key(|user| (!is_exact(user), user.id));
    (part(found, window), total)
}

fn part<T>(list: Vec<T>, window: Window) -> Vec<T> {
    let skipped = window.offset.try_into().unwrap_or(usize::MAX);
    let rest = list.into_iter().skip(skipped);
    rest.take(window.limit as usize).collect()
}

/// The page, read by means of the exact matches and the total.
async fn many(
    conn: &mut Conn,
    request: &Request<'_>,
    searches: &Searches,
    exact: Vec<Listed>,
    counted: Counted,
) -> Result<(Vec<Listed>, i64)> {
    let Request { now, text, window } = *request;
    let total = counted.total;
    let exact_count = exact.len() as i64;
    let mut page = part(exact, window);
    let rest = Window {
        limit: window.limit - page.len() as i64,
        offset: (window.offset - exact_count).max(0),
        ..window
    };
    let rest = rest.from_nearer_end((total - exact_count).max(0));
    if rest.limit > 0 {
        let terms = searches.terms(conn, request).await?;
        let needed = rest.offset.saturating_add(rest.limit);
        let collects = is_collecting_cheaper(&counted, needed);
        page.extend(store::others(conn, now, &terms, rest, collects).await?);
    }
    match total > FEW as i64 {
        true => searches.totals.insert(text, counted),
        false => searches.totals.remove(text),
    }
    Ok((page, total))
}

/// The cost of collecting a match, relative to reading a user by id.
const COST_OF_COLLECTING: i64 = 8;

/// Whether collecting and sorting all matches is cheaper than reading users by id until enough
/// matches are found.
fn is_collecting_cheaper(counted: &Counted, needed: i64) -> bool {
    let users_read = needed.saturating_mul(counted.users) / counted.total.max(1);
    counted.total.saturating_mul(COST_OF_COLLECTING) < users_read
}
