//! Finding users by any substring of their username or email address.

mod cache;
mod rarest_trigrams;

use db::Conn;

use self::cache::CachedTotals;
pub use self::cache::{Counted, Since};
use self::rarest_trigrams::RarestTrigrams;

use super::input::Include;
use super::listing::Listed;
use super::store;
use kernel::input::{Place, Positive, Raw, Rule, is_blank, normalised, text};
use kernel::list::{ListQuery, Paging, PagingForm, Parameter, Window};
use kernel::types::Timestamp;
use kernel::types::case_fold::fold;
use kernel::{Result, inline_schema, input};

input! {
    /// Which users to find.
    pub struct Search {
        /// Part of a username or email address, at least 3 characters. Case is ignored.
        q: SearchText,
        /// What to show of each user as well: `roles`, `social` and `block`, separated by commas.
        include: Option<Include>,
    }
    with paging: Paging<Positive, SearchPaging>
}

/// Exact matches come before the others, so there is no cursor.
#[derive(Debug)]
pub struct SearchPaging;

impl PagingForm for SearchPaging {
    const PARAMETERS: &'static [Parameter] = &[Parameter::Page, Parameter::Size];
    const DEFAULT_SIZE: i64 = 100;
}

impl ListQuery for Search {
    type Cursor = Positive;
    type Form = SearchPaging;

    fn paging(&self) -> &Paging<Positive, SearchPaging> {
        &self.paging
    }
}

/// Trimmed, and folded like the columns it is compared with.
#[derive(Debug)]
pub struct SearchText(String);

impl Rule for SearchText {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        // Normalised as usernames are.
        let trimmed = normalised(text.trim_matches(is_blank).to_owned());
        if trimmed.chars().count() < 3 {
            place.add("must be at least 3 characters long");
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

/// The folded text, and the pieces of it that are looked up in the trigram index.
pub struct Terms<'a> {
    pub text: &'a str,
    pub pieces: Vec<&'a str>,
}

/// Caches that all searches share.
#[derive(Default)]
pub struct Searches {
    totals: CachedTotals,
    trigrams: RarestTrigrams,
}

/// Up to this many matches are read at once, without counting first.
const FEW: usize = 100;

/// One search: the text, and the part of the matches to read.
struct Request<'a> {
    now: Timestamp,
    text: &'a str,
    window: Window,
}

/// Users who match the whole text, then all others by id; and how many match in total.
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
        let (exact, since) = store::search::since(conn, now, text, cached.last_id).await?;
        if let Some(counted) = since.and_then(|since| cached.update(since)) {
            return many(conn, &request, searches, exact, counted).await;
        }
    }
    let terms = searches.terms(conn, &request).await?;
    if cached.is_none() {
        let found = store::search::some(conn, now, &terms, FEW as i64 + 1).await?;
        if found.len() <= FEW {
            return Ok(few(found, text, window));
        }
    }
    let (exact, counted) = store::search::count(conn, now, &terms).await?;
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

/// The page, given all matches.
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

/// The page, given the exact matches and the total.
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
        page.extend(store::search::others(conn, now, &terms, rest, collects).await?);
    }
    match total > FEW as i64 {
        true => searches.totals.insert(text, counted),
        false => searches.totals.remove(text),
    }
    Ok((page, total))
}

/// What it costs to collect a match, relative to reading a user by id.
const COST_OF_COLLECTING: i64 = 8;

/// Whether it is cheaper to collect all matches and sort them, than to read users by id until as
/// many matches are found as are needed.
fn is_collecting_cheaper(counted: &Counted, needed: i64) -> bool {
    let users_read = needed.saturating_mul(counted.users) / counted.total.max(1);
    counted.total.saturating_mul(COST_OF_COLLECTING) < users_read
}
