//! Finding users by any part of their name or address.

mod known;
mod piece;

use db::Conn;

pub use self::known::{Counted, Since};
use self::known::{FIRST, Known, KnownTexts};
use self::piece::Pieces;

use super::listing::Listed;
use super::store;
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

/// What is looked for, folded, and the piece of it that is looked up in the index.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    pub text: &'a str,
    pub piece: &'a str,
}

/// What searches have learnt; it makes the next ones quicker.
#[derive(Default)]
pub struct Searches {
    texts: KnownTexts,
    pieces: Pieces,
}

/// So many are read at once, without counting first.
const FEW: usize = 100;

/// A search under way: for whom, and for which part of those who match.
struct Asked<'a> {
    now: Timestamp,
    text: &'a str,
    window: Window,
    texts: &'a KnownTexts,
}

/// Those who match exactly come first, then all others by id. With them comes how many there are,
/// whatever the page.
pub async fn search(
    conn: &mut Conn,
    now: Timestamp,
    Wanted(text): &Wanted,
    window: Window,
    Searches { texts, pieces }: &Searches,
) -> Result<(Vec<Listed>, i64)> {
    let asked = Asked {
        now,
        text,
        window,
        texts,
    };
    if let Some((exact, known)) = known_before(conn, &asked).await? {
        return many(conn, &asked, pieces, exact, known).await;
    }
    let terms = Terms {
        text,
        piece: pieces.of(conn, now, text).await?,
    };
    let found = store::search::some(conn, now, terms, FEW as i64 + 1).await?;
    if found.len() <= FEW {
        return Ok(few(found, text, window));
    }
    let (exact, counted) = store::search::count(conn, now, terms).await?;
    let known = Known {
        counted: counted.ok_or(db::Error::NoRow)?,
        first: Vec::new(),
    };
    many(conn, &asked, pieces, exact, known).await
}

/// The page out of all who match.
fn few(mut found: Vec<Listed>, text: &str, window: Window) -> (Vec<Listed>, i64) {
    let total = found.len() as i64;
    let is_exact = |user: &Listed| fold(&user.username) == text || fold(&user.email) == text;
    found.sort_by_cached_key(|user| (!is_exact(user), user.id));
    (part(found, window), total)
}

fn part<T>(list: impl IntoIterator<Item = T>, window: Window) -> Vec<T> {
    let before = window.offset.try_into().unwrap_or(usize::MAX);
    let rest = list.into_iter().skip(before);
    rest.take(window.limit as usize).collect()
}

async fn many(
    conn: &mut Conn,
    asked: &Asked<'_>,
    pieces: &Pieces,
    exact: Vec<Listed>,
    mut known: Known,
) -> Result<(Vec<Listed>, i64)> {
    let Asked { now, text, .. } = *asked;
    let total = known.counted.total;
    let exactly = exact.len() as i64;
    let mut page = part(exact, asked.window);
    let rest = Window {
        limit: asked.window.limit - page.len() as i64,
        offset: (asked.window.offset - exactly).max(0),
        ..asked.window
    };
    let rest = rest.from_nearer_end((total - exactly).max(0));
    let end = rest.offset.saturating_add(rest.limit);
    if rest.limit > 0 && !rest.from_end && end <= known.first.len() as i64 {
        let ids = part(known.first.iter().copied(), rest);
        page.extend(store::listing::by_ids(conn, now, &ids).await?);
    } else if rest.limit > 0 {
        let piece = pieces.of(conn, now, text).await?;
        let terms = Terms { text, piece };
        let are_few = are_few(&known.counted, end);
        let others = store::search::others(conn, now, terms, rest, are_few).await?;
        if rest.offset == 0 && !rest.from_end {
            known.first = others.iter().map(|user| user.id).take(FIRST).collect();
        }
        page.extend(others);
    }
    asked.texts.keep(text, known);
    Ok((page, total))
}

/// Whether all who match are found and put in order sooner than so many of them are met in the
/// order of ids: for each of them, about as many users are looked at as there are for each who
/// matches, which is quicker for a user by far.
fn are_few(counted: &Counted, wanted: i64) -> bool {
    let looked_at = wanted.saturating_mul(counted.users) / counted.total.max(1);
    counted.total.saturating_mul(8) < looked_at
}

/// Whose name or address is this, and what is known of all who match, if only users who came later
/// are to be added.
async fn known_before(conn: &mut Conn, asked: &Asked<'_>) -> Result<Option<(Vec<Listed>, Known)>> {
    let Asked { now, text, .. } = *asked;
    let Some(known) = asked.texts.of(text) else {
        return Ok(None);
    };
    let (exact, since) = store::search::since(conn, now, text, known.counted.last_id).await?;
    let counted = since.and_then(|since| known.counted.brought_up_to(since));
    Ok(counted.map(|counted| (exact, Known { counted, ..known })))
}
