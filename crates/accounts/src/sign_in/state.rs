//! The states of sign-ins that were begun, and the state of the slice.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use db::AdvisoryLock;
use http_client::Url;
use sha2::{Digest, Sha256};

use super::answer::Answer;
use super::provider::{Nonce, Providers};
use super::refusal::Refusal;
use super::store;
use crate::sessions::{self, Token};
use crate::users::identities::Provider;
use kernel::secret::{Secret, lock_secret_key_shared};
use kernel::types::{Timestamp, random};
use kernel::write::Edit;
use kernel::{Core, Error, Kernel, Result};

/// How long a visitor may take at the provider, in seconds.
const LIFETIME: i64 = 10 * 60;
/// How long a nonce is remembered, in seconds. An answer is accepted for half of it.
const NONCE_LIFETIME: i64 = 10 * 60;
/// The largest number of states. Beginning another removes the oldest.
const MOST: i64 = 10_000;
/// Enough digits for 256 random bits. A PKCE verifier needs as many characters.
const RANDOM_DIGITS: usize = 43;
/// The number of rows removed in one transaction; small, so that writers wait only briefly.
const REMOVED_AT_ONCE: i64 = 1000;
/// The purpose under which verifiers are sealed.
const VERIFIER: &str = "sign-in verifier";

/// The state of the slice. Cheap to clone.
#[derive(Clone)]
pub struct State {
    pub sessions: sessions::State,
    pub providers: Providers,
}

impl State {
    pub fn kernel(&self) -> &Kernel {
        &self.sessions.kernel
    }
}

/// A sign-in that was begun.
pub struct Begun {
    /// Where the visitor goes.
    pub url: Url,
    /// The secret that the browser keeps.
    pub browser_token: Secret<String>,
    pub expires_at: Timestamp,
}

/// A state that was not used yet.
pub struct Open {
    pub id: i64,
    /// The value that the provider sent back.
    pub value: String,
    pub return_to: String,
    pub verifier: Option<Secret<String>>,
    /// The user to link the profile to.
    pub user_id: Option<i64>,
}

/// Whether a state and a nonce were used up.
pub enum Taken {
    Both,
    StateIsGone,
    NonceWasUsed,
}

pub async fn begin(
    state: &State,
    provider: Provider,
    return_to: String,
    session_id: Option<i64>,
) -> Result<Begun> {
    let core = &state.kernel().core;
    let value = random::digits(RANDOM_DIGITS);
    let browser_token = Secret::new(format!("stb_{}", random::digits(RANDOM_DIGITS)));
    let verifier = match provider {
        Provider::Steam => None,
        Provider::Discord => Some(Secret::new(random::digits(RANDOM_DIGITS))),
    };
    let challenge = verifier.as_ref().map(challenge);
    let url = state
        .providers
        .page(provider, &return_to, &value, challenge.as_deref())?;
    let expires_at = Timestamp::from_unix(core.expiry_now().unix() + LIFETIME);
    let mut tx = core.db.begin().await?;
    let sealed = match &verifier {
        Some(verifier) => {
            let key = lock_secret_key_shared(&mut tx, &core.secret_key).await?;
            Some(key.seal(VERIFIER, verifier.reveal().as_bytes()))
        }
        None => None,
    };
    // Otherwise concurrent requests would each leave as many as are allowed.
    tx.lock_advisory(AdvisoryLock::SignInStates).await?;
    store::make_room(&mut tx, MOST).await?;
    store::insert(
        &mut tx,
        &store::NewState {
            state_hash: hash(&value),
            browser_hash: hash(browser_token.reveal()),
            provider,
            return_to: &return_to,
            verifier: sealed.as_deref(),
            session_id,
            expires_at,
        },
    )
    .await?;
    tx.commit().await?;
    Ok(Begun {
        url,
        browser_token,
        expires_at,
    })
}

/// The state that an answer names. It must be of the same provider, and of the browser that began.
pub async fn find(
    state: &State,
    provider: Provider,
    answer: &Answer,
    browser_token: &Token,
) -> Result<Open, Refusal> {
    let core = &state.kernel().core;
    let value = answer.one("state")?;
    let mut read = core.db.read().await?;
    let (hash, now) = (hash(value), core.expiry_now());
    let found = store::find(&mut read, &hash, &browser_token.hash(), provider, now).await?;
    drop(read);
    let reason = "the state is unknown, expired, or of another browser or provider";
    let found = found.ok_or_else(|| Refusal::failed(reason))?;
    let verifier = match &found.verifier {
        Some(sealed) => Some(open(core, sealed).await?),
        None => None,
    };
    Ok(Open {
        id: found.id,
        value: value.to_owned(),
        return_to: found.return_to,
        verifier,
        user_id: found.user_id,
    })
}

async fn open(core: &Core, sealed: &[u8]) -> Result<Secret<String>> {
    let opened = core.secret_key.get().open(VERIFIER, sealed);
    let opened = match opened {
        Some(opened) => Some(opened),
        None => {
            let mut tx = core.db.begin().await?;
            let key = lock_secret_key_shared(&mut tx, &core.secret_key).await?;
            let opened = key.open(VERIFIER, sealed);
            tx.rollback().await?;
            opened
        }
    };
    let text = opened.and_then(|bytes| String::from_utf8(bytes).ok());
    let text = text.ok_or_else(|| Error::internal("a stored verifier cannot be decrypted"))?;
    Ok(Secret::new(text))
}

/// Uses up a state, and the nonce of the answer if it has one.
pub async fn take(edit: &mut Edit, open: &Open, nonce: Option<&Nonce>) -> Result<Taken> {
    let now = edit.core().expiry_now();
    if !store::take(edit, open.id, now).await? {
        return Ok(Taken::StateIsGone);
    }
    if let Some(nonce) = nonce {
        let expires_at = Timestamp::from_unix(now.unix() + NONCE_LIFETIME);
        if !store::use_nonce(edit, &hash(nonce.as_str()), expires_at).await? {
            return Ok(Taken::NonceWasUsed);
        }
    }
    Ok(Taken::Both)
}

/// Removes expired states and nonces.
pub async fn forget_expired(core: &Core) -> Result<()> {
    let now = core.retention_now();
    store::delete_expired_states(&core.db, now, REMOVED_AT_ONCE).await?;
    Ok(store::delete_expired_nonces(&core.db, now, REMOVED_AT_ONCE).await?)
}

/// Removes all states when the secret key changes. Visitors who are at a provider begin again.
pub async fn forget_states(edit: &mut Edit) -> Result<u64> {
    Ok(store::delete_states(edit).await?)
}

fn hash(value: &str) -> [u8; 32] {
    Sha256::digest(value).into()
}

/// The PKCE challenge of a verifier, by the method S256.
fn challenge(verifier: &Secret<String>) -> String {
    URL_SAFE_NO_PAD.encode(hash(verifier.reveal()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_that_of_the_specification() {
        // RFC 7636, appendix B.
        let verifier = Secret::new("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk".to_owned());
        let expected = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
        assert_eq!(challenge(&verifier), expected);
    }
}
