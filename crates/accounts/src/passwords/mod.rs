//! Checks passwords for every kind of sign-in: the hashes, the queue of slow work, and the rate limits.

mod bcrypt;
mod hashes;
mod input;
pub mod limits;
mod queue;
mod store;

use self::bcrypt::BcryptCost;
use self::limits::{Account, Claim, Claimed, Origin};
use kernel::secret::Secret;
use kernel::{Core, Result};

pub use self::hashes::{Cost, is_usable};
pub use self::input::Password;
pub use self::queue::{Passwords, Waiter};

/// An attempt to sign in.
#[derive(Clone, Copy, Debug)]
pub struct Attempt<'a> {
    pub account: Account<'a>,
    pub origin: Origin,
    pub waiter: Waiter,
}

/// The result of an attempt.
#[derive(Debug)]
pub enum Verdict {
    /// The attempt still counts as a failure, until it is taken back.
    Right(Claimed),
    Wrong,
    /// The password was not checked. The seconds until the next attempt is allowed.
    Refused(u64),
}

impl Attempt<'_> {
    /// Checks a password within the limits. `stored` is the hash of the account's password; without
    /// one, the password is wrong and it takes the same time. If a hash of bcrypt matches, it is
    /// replaced in the database, and `stored` is then the new one.
    pub async fn check(
        self,
        core: &Core,
        passwords: &Passwords,
        password: &Password<1>,
        stored: Option<&mut Secret<String>>,
    ) -> Result<Verdict> {
        let Self {
            account,
            origin,
            waiter,
        } = self;
        // Asks before queueing: an attempt that will be refused must not take a place.
        if let Some(seconds) = limits::wait(core, account, origin).await? {
            return Ok(Verdict::Refused(seconds));
        }
        // Queues before the attempt is counted: one that cannot be checked must not count.
        let place = passwords.queue(waiter)?;
        let claimed = match limits::claim(core, account, origin).await? {
            Claim::Granted(claimed) => claimed,
            Claim::Refused(seconds) => return Ok(Verdict::Refused(seconds)),
        };
        let slowest = store::slowest_bcrypt(&mut *core.db.read().await?).await?;
        let slowest = slowest.as_deref().and_then(BcryptCost::parse);
        let checked = place.check(password, stored.as_deref(), slowest).await?;
        let is_right = match (checked.replacement, stored, account) {
            (Some(new), Some(stored), Account::User(id)) => {
                match replace(core, id, stored, new).await? {
                    Replaced::Now => true,
                    Replaced::Before(None) => false,
                    Replaced::Before(Some(current)) => {
                        let place = match passwords.queue(waiter) {
                            Ok(place) => place,
                            Err(busy) => {
                                limits::take_back(core, claimed).await?;
                                return Err(busy);
                            }
                        };
                        let again = place.check(password, Some(&current), None).await?;
                        *stored = current;
                        again.is_right
                    }
                }
            }
            _ => checked.is_right,
        };
        Ok(match is_right {
            true => Verdict::Right(claimed),
            false => Verdict::Wrong,
        })
    }
}

enum Replaced {
    Now,
    /// By a concurrent sign-in, or because the password was changed. The hash that is stored.
    Before(Option<Secret<String>>),
}

/// Replaces the hash of a user, unless it is no longer the stored one. This is neither a change of
/// the password nor an audit entry, and ends no session.
async fn replace(
    core: &Core,
    user_id: i64,
    stored: &mut Secret<String>,
    new: Secret<String>,
) -> Result<Replaced> {
    let mut tx = core.db.begin().await?;
    if store::replace_hash(&mut tx, user_id, stored.reveal(), new.reveal()).await? {
        tx.commit().await?;
        *stored = new;
        return Ok(Replaced::Now);
    }
    let current = store::hash(&mut tx, user_id).await?;
    tx.rollback().await?;
    Ok(Replaced::Before(current.map(Secret::new)))
}
