//! The rate limit of sign-in, against guessing passwords: five attempts per minute for each user, on
//! all instances together. A login that no user has is limited in the same way.

use sha2::{Digest, Sha256};

use super::{REMOVED_AT_ONCE, store};
use crate::app::App;
use crate::users::sign_in::Credentials;
use kernel::Result;
use kernel::types::Timestamp;

/// How long an attempt counts, in seconds. The table has a column for each of the five attempts.
const WINDOW: i64 = 60;

/// What attempts are counted by: a user, or a login that no user has. It is a hash, so that a
/// password typed into the wrong field is not stored in clear text.
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

/// Counts an attempt before the password is checked; otherwise any number of attempts could run
/// concurrently. Over the limit, returns after how many seconds the next attempt is allowed.
pub async fn claim(app: &App, Subject(subject): &Subject) -> Result<Option<u64>> {
    let now = app.clock.now();
    let mut tx = app.db.begin().await?;
    let wait = if store::attempts::claim(&mut tx, subject, now, expired(now)).await? {
        None
    } else {
        let fifth = store::attempts::fifth(&mut tx, subject).await?;
        let free_at = fifth.unwrap_or(expired(now)).unix() + WINDOW;
        Some((free_at - now.unix()).max(1).unsigned_abs())
    };
    tx.commit().await?;
    Ok(wait)
}

/// Removes the attempts of a user who gave the right password.
pub async fn clear(app: &App, Subject(subject): &Subject) -> Result<()> {
    let mut tx = app.db.begin().await?;
    store::attempts::delete(&mut tx, subject).await?;
    Ok(tx.commit().await?)
}

pub async fn forget_expired(app: &App) -> Result<()> {
    let expired = expired(app.clock.now());
    Ok(store::attempts::delete_before(&app.db, expired, REMOVED_AT_ONCE).await?)
}

/// The last second whose attempts no longer count.
fn expired(now: Timestamp) -> Timestamp {
    Timestamp::from_unix(now.unix() - WINDOW)
}
