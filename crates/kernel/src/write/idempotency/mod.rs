//! `Idempotency-Key`: a request sent twice is executed once.
//!
//! The first statement of such a write claims the value for the API key. A second request with the
//! same value waits there until the first ends. If the first succeeded, its reply is sent again; if
//! it failed, the second request is executed.

mod store;

use sha2::{Digest, Sha256};

use crate::auth::derive_key;
use crate::secret::{Secret, SecretKey};
use crate::types::Timestamp;
use crate::types::time::DAY;
use crate::write::{Edit, Secrecy};
use crate::{Core, Error, ErrorCode, Result};

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
    /// Derived from the value of the API key, which is not stored. Replies that reveal a secret are
    /// encrypted under it as well, so that a backup and the secret key file do not reveal them.
    caller_key: SecretKey,
}

const CALLER_KEY_LABEL: &str = "steward: stored replies that reveal a secret";

const REPLY_UNAVAILABLE: Error = Error::Conflict {
    code: ErrorCode::ReplyUnavailable,
    message: "This request was carried out before. Its reply contains a secret and can be repeated \
              only for the value of the API key that it was sent with.",
};

impl Token {
    pub fn new(
        key_id: i64,
        key_value: &str,
        value: String,
        method: &str,
        path: &str,
        body: &[u8],
    ) -> Self {
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
            caller_key: SecretKey::new(&derive_key(key_value, CALLER_KEY_LABEL)),
        }
    }

    pub fn key_id(&self) -> i64 {
        self.key_id
    }

    fn context(&self) -> String {
        context(self.key_id, &self.value)
    }
}

/// A context under which a stored reply can be decrypted for this API key and value only.
fn context(key_id: i64, value: &str) -> String {
    format!("idempotent reply {key_id} {value}")
}

/// The context of the part of a reply that reveals a secret.
fn secret_context(key_id: i64, value: &str) -> String {
    format!("secret idempotent reply {key_id} {value}")
}

/// The state of a value when a request claims it.
pub enum Claim {
    /// The value is unused.
    Granted,
    /// A request with this value succeeded. Contains its reply.
    Replied(Vec<u8>),
    /// A request with this value has begun, and its outcome is unknown.
    Begun,
}

/// Claims the value, or returns the state of the request that used it.
pub async fn claim(edit: &mut Edit, token: &Token) -> Result<Claim> {
    let core = edit.core();
    let (now, expired) = (core.expiry_now(), expired_at(core.retention_now()));
    if store::claim(edit, token, now, expired).await? {
        return Ok(Claim::Granted);
    }
    let (sealed, secret) = store::find(edit, token).await?;
    edit.confirm_actor().await?;
    // A reply may show the value of a key.
    let opened = Secret::new(edit.open(&token.context(), &sealed).await?);
    match (opened.reveal().strip_prefix(&token.fingerprint), secret) {
        (Some([]), Some(secret)) => {
            let context = secret_context(token.key_id, &token.value);
            let inner = edit.open(&context, &secret).await?;
            let reply = token.caller_key.open(&context, &inner);
            reply.map(Claim::Replied).ok_or(REPLY_UNAVAILABLE)
        }
        (Some([]), None) => Ok(Claim::Begun),
        (Some(reply), _) => Ok(Claim::Replied(reply.to_vec())),
        (None, _) => Err(Error::Rejected {
            code: ErrorCode::IdempotencyKeyReused,
            message: "This Idempotency-Key was used for another request. Send a new one.",
        }),
    }
}

/// Stores the reply, in the transaction of its write. The fingerprint is encrypted with it: a plain
/// hash would let a reader of the database guess what a body contains, such as a password.
///
/// A reply that reveals a secret is stored in a column of its own.
pub async fn keep(edit: &mut Edit, token: &Token, reply: &[u8], secrecy: Secrecy) -> Result<()> {
    let (open, secret) = match secrecy {
        Secrecy::Ordinary => (reply, None),
        Secrecy::RevealsSecret => {
            let context = secret_context(token.key_id, &token.value);
            let inner = token.caller_key.seal(&context, reply);
            (&[][..], Some(edit.seal(&context, &inner).await?))
        }
    };
    let kept = [&token.fingerprint[..], open].concat();
    let sealed = edit.seal(&token.context(), &kept).await?;
    let (key_id, value) = (token.key_id, &token.value);
    Ok(store::keep(edit, key_id, value, &sealed, secret.as_deref()).await?)
}

/// Records that an action outside the database is about to begin.
pub async fn begin(edit: &mut Edit, token: &Token) -> Result<()> {
    keep(edit, token, b"", Secrecy::Ordinary).await
}

/// Frees the value after an action that had no effect.
pub async fn release(edit: &mut Edit, token: &Token) -> Result<()> {
    Ok(store::delete(edit, token).await?)
}

/// Encrypts every stored reply under a new key.
pub async fn reseal(edit: &mut Edit, old: &SecretKey, new: &SecretKey) -> Result<()> {
    let mut last = (0, String::new());
    loop {
        let replies = store::replies_after(edit, &last, RESEAL_BATCH).await?;
        for (key_id, value, sealed, secret) in replies.iter() {
            let context = context(*key_id, value);
            let sealed = old.reseal(new, &context, sealed)?;
            let secret = match secret {
                Some(secret) => {
                    let context = secret_context(*key_id, value);
                    Some(old.reseal(new, &context, secret)?)
                }
                None => None,
            };
            store::keep(edit, *key_id, value, &sealed, secret.as_deref()).await?;
        }
        match replies.into_iter().next_back() {
            Some((key_id, value, ..)) => last = (key_id, value),
            None => return Ok(()),
        }
    }
}

/// Deletes every reply, when the key that encrypts them is lost. Returns their number.
pub async fn forget_all(edit: &mut Edit) -> Result<u64> {
    Ok(store::delete_all(edit).await?)
}

/// Deletes expired replies.
pub async fn forget_expired(core: &Core) -> Result<()> {
    let expired = expired_at(core.retention_now());
    Ok(store::delete_before(&core.db, expired, DELETE_BATCH).await?)
}

fn expired_at(now: Timestamp) -> Timestamp {
    Timestamp::from_unix(now.unix() - RETENTION)
}
