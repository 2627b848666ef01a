//! `Idempotency-Key`: a request sent twice is executed once.
//!
//! The first statement of such a write claims the value for the API key. A second request with
//! the same value waits there until the first ends: if that succeeded, its reply is sent again; if
//! it failed, the second request is executed.

mod store;

use sha2::{Digest, Sha256};

use crate::secret::SecretKey;
use crate::types::Timestamp;
use crate::types::time::DAY;
use crate::write::Edit;
use crate::{Core, Error, Result};

/// How long a reply is stored, in seconds.
const RETENTION: i64 = DAY;
const DELETE_BATCH: i64 = 1000;
/// Small, since a reply may be as large as a page of a list.
const RESEAL_BATCH: i64 = 50;

/// The value of the header and the request it was sent with.
pub struct Token {
    key_id: i64,
    value: String,
    fingerprint: [u8; 32],
}

impl Token {
    pub fn new(key_id: i64, value: String, method: &str, path: &str, body: &[u8]) -> Self {
        let mut digest = Sha256::new();
        for part in [method.as_bytes(), path.as_bytes(), body] {
            // The length separates the parts.
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
        Self {
            key_id,
            value,
            fingerprint: digest.finalize().into(),
        }
    }

    fn context(&self) -> String {
        context(self.key_id, &self.value)
    }
}

/// A stored reply can be decrypted for this API key and value only.
fn context(key_id: i64, value: &str) -> String {
    format!("idempotent reply {key_id} {value}")
}

/// The state of a value when a request claims it.
pub enum Claim {
    /// Not used yet.
    Granted,
    /// Used by a request that succeeded, with its reply.
    Replied(Vec<u8>),
    /// Used by a request that has begun and whose outcome is unknown.
    Begun,
}

/// Claims the value, or returns what it was used for.
pub async fn claim(edit: &mut Edit, token: &Token) -> Result<Claim> {
    let now = edit.now();
    if store::claim(edit, token, now, expired_at(now)).await? {
        return Ok(Claim::Granted);
    }
    let sealed = store::find(edit, token).await?;
    let opened = edit.open(&token.context(), &sealed).await?;
    match opened.strip_prefix(&token.fingerprint) {
        Some([]) => Ok(Claim::Begun),
        Some(reply) => Ok(Claim::Replied(reply.to_vec())),
        None => Err(Error::Rejected {
            code: "idempotency_key_reused",
            message: "This Idempotency-Key was used for another request. Send a new one.",
        }),
    }
}

/// Stores the reply, in the transaction of its write. The fingerprint is encrypted with it: a
/// plain hash would let a reader of the database guess what a body contains, such as a password.
pub async fn keep(edit: &mut Edit, token: &Token, reply: &[u8]) -> Result<()> {
    let kept = [&token.fingerprint[..], reply].concat();
    let sealed = edit.seal(&token.context(), &kept).await?;
    Ok(store::keep(edit, token.key_id, &token.value, &sealed).await?)
}

/// Records that an action outside the database is about to begin.
pub async fn begin(edit: &mut Edit, token: &Token) -> Result<()> {
    keep(edit, token, b"").await
}

/// Frees the value, since the action had no effect.
pub async fn release(edit: &mut Edit, token: &Token) -> Result<()> {
    Ok(store::delete(edit, token).await?)
}

/// Encrypts every stored reply under a new key.
pub async fn reseal(edit: &mut Edit, old: &SecretKey, new: &SecretKey) -> Result<()> {
    let mut last = (0, String::new());
    loop {
        let replies = store::replies_after(edit, &last, RESEAL_BATCH).await?;
        for (key_id, value, sealed) in replies.iter() {
            let sealed = old.reseal(new, &context(*key_id, value), sealed)?;
            store::keep(edit, *key_id, value, &sealed).await?;
        }
        match replies.into_iter().next_back() {
            Some((key_id, value, _)) => last = (key_id, value),
            None => return Ok(()),
        }
    }
}

/// Deletes expired replies.
pub async fn forget_expired(core: &Core) -> Result<()> {
    let expired = expired_at(core.clock.now());
    Ok(store::delete_before(&core.db, expired, DELETE_BATCH).await?)
}

fn expired_at(now: Timestamp) -> Timestamp {
    Timestamp::from_unix(now.unix() - RETENTION)
}
