//! Browsers that an operator has signed in with. Others can make the limits of attempts refuse a
//! login; from such a browser the operator can sign in all the same.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use kernel::Core;
use kernel::types::random;
use kernel::types::time::DAY;

/// For how long a browser keeps the proof, in seconds. Browsers allow no more.
pub const PROOF_SECONDS: i64 = 400 * DAY;
const CONTEXT: &str = "browser that an operator signed in with";
const ID: usize = 16;

/// A browser, by a random id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustedBrowser(pub [u8; ID]);

/// A proof for the browser that an operator signs in with. It is encrypted under the secret key, so
/// that it can be neither forged nor used for another operator.
pub fn prove(core: &Core, user_id: i64) -> String {
    let id = random::bytes::<ID>();
    let plain = [&user_id.to_be_bytes()[..], &id].concat();
    URL_SAFE_NO_PAD.encode(core.secret_key.get().seal(CONTEXT, &plain))
}

/// The browser, if the proof is one for this user.
pub fn check(core: &Core, proof: &str, user_id: i64) -> Option<TrustedBrowser> {
    let sealed = URL_SAFE_NO_PAD.decode(proof).ok()?;
    let plain = core.secret_key.get().open(CONTEXT, &sealed)?;
    let (user, id) = plain.split_first_chunk()?;
    let is_same = i64::from_be_bytes(*user) == user_id;
    id.try_into().ok().filter(|_| is_same).map(TrustedBrowser)
}
