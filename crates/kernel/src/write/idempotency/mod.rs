//! `Idempotency-Key`: a request sent twice is carried out once.
//!
//! The first statement of such a write claims the value for the calling key. A second request
//! under the same value waits there until the first is over: if that one was carried out, its
//! reply is given again; if it failed, the second takes its place.

mod store;

use sha2::{Digest, Sha256};

use crate::secret::SecretKey;
use crate::types::Timestamp;
use crate::types::time::DAY;
use crate::write::Edit;
use crate::{Core, Error, Result};

/// How long a reply is kept, in seconds.
const KEPT_FOR: i64 = DAY;
const REMOVED_AT_ONCE: i64 = 1000;
/// A reply may be as large as a page, so not all of them are in memory at once.
const RESEALED_AT_ONCE: i64 = 50;

/// A value and what it was sent with.
pub struct Token {
    key_id: i64,
    value: String,
    fingerprint: [u8; 32],
}

impl Token {
    pub fn new(key_id: i64, value: String, method: &str, path: &str, body: &[u8]) -> Self {
        let mut digest = Sha256::new();
        for part in [method.as_bytes(), path.as_bytes(), body] {
            // The length keeps parts from running into one another.
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
        Self {
            key_id,
            value,
            fingerprint: digest.finalize().into(),
        }
    }

    fn place(&self) -> String {
        place(self.key_id, &self.value)
    }
}

/// A reply can be opened for this key and value only.
fn place(key_id: i64, value: &str) -> String {
    format!("idempotent reply {key_id} {value}")
}

/// What a value stands for at the moment it is claimed.
pub enum Claim {
    /// Nothing yet.
    Granted,
    /// A request that was carried out, with its reply.
    Replied(Vec<u8>),
    /// A request that was begun, and of which nothing more is known yet.
    Begun,
}

/// Claims the value, or says what it was used for.
pub async fn claim(edit: &mut Edit, token: &Token) -> Result<Claim> {
    let now = edit.now();
    if store::claim(edit, token, now, expired_at(now)).await? {
        return Ok(Claim::Granted);
    }
    let sealed = store::find(edit, token).await?;
    let opened = edit.open(&token.place(), &sealed).await?;
    match opened.strip_prefix(&token.fingerprint) {
        Some([]) => Ok(Claim::Begun),
        Some(reply) => Ok(Claim::Replied(reply.to_vec())),
        None => Err(Error::Rejected {
            code: "idempotency_key_reused",
            message: "This Idempotency-Key was used for another request.",
        }),
    }
}

/// Keeps the reply, as part of the write it belongs to. The fingerprint is encrypted with it:
/// from a plain one, whoever reads the database could guess what is in a body, such as a password.
pub async fn keep(edit: &mut Edit, token: &Token, reply: &[u8]) -> Result<()> {
    let kept = [&token.fingerprint[..], reply].concat();
    let sealed = edit.seal(&token.place(), &kept).await?;
    Ok(store::keep(edit, token.key_id, &token.value, &sealed).await?)
}

/// Notes that the request is about to be carried out where no transaction reaches.
pub async fn begin(edit: &mut Edit, token: &Token) -> Result<()> {
    keep(edit, token, b"").await
}

/// Gives the value back, since what was begun under it failed.
pub async fn release(edit: &mut Edit, token: &Token) -> Result<()> {
    Ok(store::delete(edit, token).await?)
}

/// Seals every reply, which `old` opens, under `new`.
pub async fn reseal(edit: &mut Edit, old: &SecretKey, new: &SecretKey) -> Result<()> {
    let mut last = (0, String::new());
    loop {
        let replies = store::replies_after(edit, &last, RESEALED_AT_ONCE).await?;
        for (key_id, value, sealed) in replies.iter() {
            let sealed = old.reseal(new, &place(*key_id, value), sealed)?;
            store::keep(edit, *key_id, value, &sealed).await?;
        }
        match replies.into_iter().next_back() {
            Some((key_id, value, _)) => last = (key_id, value),
            None => return Ok(()),
        }
    }
}

/// Removes replies that nobody gets any more.
pub async fn forget_expired(core: &Core) -> Result<()> {
    let expired = expired_at(core.clock.now());
    Ok(store::delete_before(&core.db, expired, REMOVED_AT_ONCE).await?)
}

fn expired_at(now: Timestamp) -> Timestamp {
    Timestamp::from_unix(now.unix() - KEPT_FOR)
}
