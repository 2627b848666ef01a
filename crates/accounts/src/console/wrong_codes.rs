//! Counts wrong codes of second factors, against guessing them with a known password.
//!
//! They are counted by account, apart from passwords: neither another spelling of the login nor
//! another network gives further attempts. A browser or a session of the operator has a count of
//! its own, so that wrong codes of others do not lock the operator out.

use db::Tx;

use super::browser::TrustedBrowser;
use super::store::wrong_codes::{self as store, Counted};
use kernel::types::Timestamp;
use kernel::types::time::HOUR;
use kernel::{Core, Error, ErrorCode, Result};

/// How many wrong codes in a row are examined without a wait.
const FREE: i64 = 10;
/// The seconds before the next attempt. They double with each further wrong code.
const FIRST_WAIT: i64 = 60;
const LONGEST_WAIT: i64 = HOUR;

/// The source of a code.
#[derive(Clone, Copy, Debug)]
pub enum Source {
    /// Any client that knows the password.
    Anyone,
    /// A browser that the operator signed in with before.
    Browser(TrustedBrowser),
    /// A session of the operator.
    Session(i64),
}

impl Source {
    fn key(self) -> Vec<u8> {
        match self {
            Self::Anyone => Vec::new(),
            Self::Browser(TrustedBrowser(id)) => id.to_vec(),
            Self::Session(id) => id.to_be_bytes().to_vec(),
        }
    }
}

/// An attempt that was counted, so that its code may be examined.
#[derive(Debug)]
pub struct Claimed {
    user_id: i64,
    source: Source,
}

/// The seconds until another code is examined; `None` if it is examined now.
fn wait(counted: &Counted, now: Timestamp) -> Option<u64> {
    if counted.codes < FREE {
        return None;
    }
    // Six doublings of a minute exceed an hour.
    let doublings = (counted.codes - FREE).min(6);
    let wait = (FIRST_WAIT << doublings).min(LONGEST_WAIT);
    let left = counted.latest.unix() + wait - now.unix();
    // Clocks of instances differ by less than the longest wait. A later time was stored before the
    // clock was set back.
    let is_due = (1..=wait + LONGEST_WAIT).contains(&left);
    is_due.then_some(left.unsigned_abs())
}

/// Counts an attempt before its code is examined; otherwise any number of codes could be examined
/// concurrently. 429 if there were too many; such an attempt does not count.
pub async fn claim(core: &Core, user_id: i64, source: Source) -> Result<Claimed> {
    let now = core.clock.now();
    let mut tx = core.db.begin().await?;
    let counted = store::lock_and_read(&mut tx, user_id, &source.key(), now).await;
    let counted = counted.map_err(|error| match error {
        // The user was deleted in the meantime.
        db::Error::ForeignKey(_) => Error::Busy,
        error => error.into(),
    })?;
    if let Some(retry_after) = wait(&counted, now) {
        tx.rollback().await?;
        return Err(Error::TooManyRequests {
            code: ErrorCode::TooManyAttempts,
            message: "There were too many wrong codes. Try again later.",
            retry_after,
        });
    }
    store::count(&mut tx, user_id, &source.key(), now).await?;
    tx.commit().await?;
    Ok(Claimed { user_id, source })
}

/// Resets the count of the account, and that of the source, after a right code.
pub async fn reset(tx: &mut Tx, claimed: &Claimed) -> Result<()> {
    for source in [claimed.source, Source::Anyone] {
        store::delete(tx, claimed.user_id, &source.key()).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_ten_wrong_codes_the_wait_doubles_from_a_minute_to_an_hour() {
        let at = Timestamp::from_unix;
        let wait = |codes, now: i64| {
            let latest = at(100_000);
            wait(&Counted { codes, latest }, at(100_000 + now))
        };
        assert_eq!(wait(9, 0), None);
        let waits = [10, 11, 12, 13, 14, 15, 16, 17, 1_000_000].map(|codes| wait(codes, 0));
        let expected = [60, 120, 240, 480, 960, 1920, 3600, 3600, 3600].map(Some);
        assert_eq!(waits, expected);
        assert_eq!((wait(10, 59), wait(10, 60)), (Some(1), None));
        // The clock of another instance is behind; or the clock was set back by a day.
        assert_eq!(wait(10, -30), Some(90));
        assert_eq!(wait(10, -86_400), None);
    }
}
