//! Trusted browsers: an operator can sign in from one even while the rate limits of others'
//! attempts refuse the login elsewhere.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::users::sign_in::Credentials;
use kernel::Core;
use kernel::types::random;
use kernel::types::time::DAY;

/// How long a proof is valid, in seconds: as long as browsers keep a cookie at most.
pub const PROOF_SECONDS: i64 = 400 * DAY;
const CONTEXT: &str = "browser that an operator signed in with";
const ID: usize = 16;

/// A browser, identified by a random id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustedBrowser(pub [u8; ID]);

/// Creates a proof for the browser that an operator signs in with. It is encrypted under the secret
/// key, so it cannot be forged or used for another operator. A new password withdraws it.
pub fn prove(core: &Core, known: &Credentials) -> String {
    let id = random::bytes::<ID>();
    let made_at = core.expiry_now().unix().to_be_bytes();
    let plain = [&id[..], &made_at, &holder(known)].concat();
    URL_SAFE_NO_PAD.encode(core.secret_key.get().seal(CONTEXT, &plain))
}

/// The browser, if the proof is valid for this user.
pub fn check(core: &Core, proof: &str, known: &Credentials) -> Option<TrustedBrowser> {
    let sealed = URL_SAFE_NO_PAD.decode(proof).ok()?;
    let plain = core.secret_key.get().open(CONTEXT, &sealed)?;
    let (id, rest) = plain.split_first_chunk()?;
    let (made_at, rest) = rest.split_first_chunk()?;
    let age = core.expiry_now().unix() - i64::from_be_bytes(*made_at);
    let is_valid = age < PROOF_SECONDS && rest == holder(known);
    is_valid.then_some(TrustedBrowser(*id))
}

/// Identifies a user with their current password.
fn holder(known: &Credentials) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(known.user_id.to_be_bytes());
    hash.update(known.password_hash.reveal());
    hash.finalize().into()
}
