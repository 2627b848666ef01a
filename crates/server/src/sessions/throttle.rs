//! Keeps passwords from being guessed: five tries a minute for each user, on all instances
//! together, and as many for each login that nobody has.

use sha2::{Digest, Sha256};

use super::{REMOVED_AT_ONCE, store};
use crate::app::App;
use crate::users::sign_in::Credentials;
use kernel::Result;
use kernel::types::Timestamp;

/// How long a try counts, in seconds. How many count is said by the table, which has a column
/// for each.
const WINDOW: i64 = 60;

/// Whom a try is about. A login that nobody has is not to be found in the database either: it
/// may be a password that went into the wrong field.
pub struct Subject([u8; 32]);

impl Subject {
    pub fn new(known: Option<&Credentials>, folded_login: &str) -> Self {
        let text = match known {
            Some(credentials) => format!("user {}", credentials.user_id),
            None => format!("login {folded_login}"),
        };
        Self(Sha256::digest(text).into())
    }
}

/// Counts one more try, before it is known whether it is right: otherwise any number could be made
/// at once. If there were too many, says after how many seconds there may be another.
pub async fn claim(app: &App, Subject(subject): &Subject) -> Result<Option<u64>> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let wait = if store::tries::claim(&mut tx, subject, now, past(now)).await? {
        None
    } else {
        let fifth = store::tries::fifth(&mut tx, subject).await?;
        let free_at = fifth.unwrap_or(past(now)).unix() + WINDOW;
        Some((free_at - now.unix()).max(1).unsigned_abs())
    };
    tx.commit().await?;
    Ok(wait)
}

/// Forgets the tries: whoever knows the password has not been guessing.
pub async fn clear(app: &App, Subject(subject): &Subject) -> Result<()> {
    let mut tx = app.db.begin().await?;
    store::tries::delete(&mut tx, subject).await?;
    Ok(tx.commit().await?)
}

pub async fn forget_past(app: &App) -> Result<()> {
    let past = past(app.clock.now());
    Ok(store::tries::delete_before(&app.db, past, REMOVED_AT_ONCE).await?)
}

/// The last moment that no longer counts.
fn past(now: Timestamp) -> Timestamp {
    Timestamp::from_unix(now.unix() - WINDOW)
}
