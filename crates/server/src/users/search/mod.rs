//! Finding users by any part of their name or address.

mod cache;
mod rarest_trigrams;

use db::Conn;

pub use self::cache::{Counted, Since};
use self::cache::{FIRST, Known, KnownTexts};
use self::rarest_trigrams::Pieces;

use super::listing::Listed;
use super::store;
use kernel::input::{Place, Positive, Raw, Rule, is_blank, text};
use kernel::list::Window;
use kernel::types::Timestamp;
use kernel::types::case_fold::fold;
use kernel::{Result, inline_schema, input};

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
    let known = texts.of(text);
    let were_many = known.is_some();
    if let Some((exact, known)) = brought_up_to_date(conn, &asked, known).await? {
        return many(conn, &asked, pieces, exact, known).await;
    }
    let terms = Terms {
        text,
        piece: pieces.of(conn, now, text).await?,
    };
    if !were_many {
        let found = store::search::some(conn, now, terms, FEW as i64 + 1).await?;
        if found.len() <= FEW {
            return Ok(few(found, text, window));
        }
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
    let total = known.counted.total;
    let exactly = exact.len() as i64;
    let mut page = part(exact, asked.window);
    let rest = Window {
        limit: asked.window.limit - page.len() as i64,
        offset: (asked.window.offset - exactly).max(0),
        ..asked.window
    };
    let rest = rest.from_nearer_end((total - exactly).max(0));
    if rest.limit > 0 {
        let others = match remembered(conn, asked, rest, &known).await? {
            Some(others) => others,
            None => others(conn, asked, pieces, rest, &mut known).await?,
        };
        page.extend(others);
    }
    match total > FEW as i64 {
        true => asked.texts.keep(asked.text, known),
        false => asked.texts.forget(asked.text),
    }
    Ok((page, total))
}

/// A part that was read before. Should any of them have been deleted or renamed this very moment,
/// it is read anew.
async fn remembered(
    conn: &mut Conn,
    asked: &Asked<'_>,
    part_wanted: Window,
    known: &Known,
) -> Result<Option<Vec<Listed>>> {
    let ids = part(known.first.iter().copied(), part_wanted);
    if part_wanted.from_end || ids.len() as i64 != part_wanted.limit {
        return Ok(None);
    }
    let found = store::listing::by_ids(conn, asked.now, &ids).await?;
    let contains = |text: &str| fold(text).contains(asked.text);
    let still_match = |user: &Listed| contains(&user.username) || contains(&user.email);
    let are_all = found.len() == ids.len() && found.iter().all(still_match);
    Ok(are_all.then_some(found))
}

async fn others(
    conn: &mut Conn,
    asked: &Asked<'_>,
    pieces: &Pieces,
    part_wanted: Window,
    known: &mut Known,
) -> Result<Vec<Listed>> {
    let Asked { now, text, .. } = *asked;
    let piece = pieces.of(conn, now, text).await?;
    let end = part_wanted.offset.saturating_add(part_wanted.limit);
    let are_few = are_few(&known.counted, end);
    let terms = Terms { text, piece };
    let others = store::search::others(conn, now, terms, part_wanted, are_few).await?;
    if part_wanted.offset == 0 && !part_wanted.from_end {
        known.first = others.iter().map(|user| user.id).take(FIRST).collect();
    }
    Ok(others)
}

/// What it costs to collect somebody who matches, against walking past a user.
const COST_OF_COLLECTING: i64 = 8;

/// Whether all who match are collected and put in order sooner than as many as are wanted are met
/// by walking through the users in the order of ids.
fn are_few(counted: &Counted, wanted: i64) -> bool {
    let walked_past = wanted.saturating_mul(counted.users) / counted.total.max(1);
    counted.total.saturating_mul(COST_OF_COLLECTING) < walked_past
}

/// Whose name or address is this, and what is known of all who match, if only users who came later
/// are to be added.
async fn brought_up_to_date(
    conn: &mut Conn,
    asked: &Asked<'_>,
    known: Option<Known>,
) -> Result<Option<(Vec<Listed>, Known)>> {
    let Asked { now, text, .. } = *asked;
    let Some(known) = known else {
        return Ok(None);
    };
    let (exact, since) = store::search::since(conn, now, text, known.counted.last_id).await?;
    let counted = since.and_then(|since| known.counted.brought_up_to(since));
    Ok(counted.map(|counted| (exact, Known { counted, ..known })))
}
