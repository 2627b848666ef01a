//! The second factor: codes of an authenticator app, and recovery codes in case it is lost.

use data_encoding::{BASE32_NOPAD, BASE32_NOPAD_NOCASE};
use sha2::{Digest, Sha256};

use super::wrong_codes::{self, Claimed, Source};
use super::{operator_id, store, totp};
use crate::operators::{self, Operator};
use crate::sessions::State;
use kernel::auth::console::end_of;
use kernel::auth::{Actor, TOPIC};
use kernel::secret::{Secret, SecretKey};
use kernel::types::random;
use kernel::write::{Change, Edit, Target};
use kernel::{Core, Error, ErrorCode, Result};

/// The length of a secret in bytes, as RFC 4226 recommends.
const SECRET: usize = 20;
const RECOVERY_CODES: usize = 10;
/// In bytes; encoded as 16 characters.
const RECOVERY_CODE: usize = 10;
const RESEAL_BATCH: i64 = 100;

/// A stored factor.
pub struct Factor {
    pub user_id: i64,
    pub sealed: Vec<u8>,
    /// The last time step whose code was used.
    pub last_step: i64,
    pub is_confirmed: bool,
}

/// The data for an authenticator app.
pub struct Begun {
    /// In base 32.
    pub secret: String,
    pub uri: String,
}

const INVALID_CODE: Error = Error::Rejected {
    code: ErrorCode::InvalidCode,
    message: "The code is wrong, expired, or was used before.",
};

const NOT_BEGUN: Error = Error::Conflict {
    code: ErrorCode::TwoFactorNotBegun,
    message: "There is no second factor yet. Set one up first.",
};

const ENROLLED: Error = Error::Conflict {
    code: ErrorCode::TwoFactorEnrolled,
    message: "There is a second factor already. Remove it first.",
};

fn context(user_id: i64) -> String {
    format!("second factor of operator {user_id}")
}

/// A code, and the attempt that was counted for it.
pub struct Attempt {
    code: String,
    /// `None` if the operator had no second factor when the attempt was to be counted.
    claimed: Option<Claimed>,
}

impl Attempt {
    /// Counts the attempt, if the operator has a second factor; 429 if there were too many wrong
    /// codes.
    pub async fn claim(core: &Core, user_id: i64, source: Source, code: &str) -> Result<Self> {
        let operator = operators::find(&mut *core.db.read().await?, user_id).await?;
        let claimed = match operator.is_some_and(|operator| operator.two_factor) {
            true => Some(wrong_codes::claim(core, user_id, source).await?),
            false => None,
        };
        let code = code.to_owned();
        Ok(Self { code, claimed })
    }

    /// Counts an attempt of an operator who is signed in. Wrong codes of others do not limit it.
    pub async fn of_session(state: &State, actor: &Actor, code: &str) -> Result<Self> {
        let user_id = operator_id(actor)?;
        let source = Source::Session(actor.session.as_ref().map_or(0, |own| own.id));
        Self::claim(&state.kernel.core, user_id, source, code).await
    }
}

/// Verifies and uses up the code, if the operator has a second factor.
pub async fn require(
    edit: &mut Edit,
    operator: &Operator,
    attempt: Option<&Attempt>,
) -> Result<()> {
    if !operator.two_factor {
        return Ok(());
    }
    let Some(Attempt { code, claimed }) = attempt else {
        return Err(Error::Rejected {
            code: ErrorCode::TwoFactorRequired,
            message: "Send a code of your second factor, or a recovery code, as well.",
        });
    };
    // The second factor was confirmed in the meantime. A retry counts the attempt.
    let claimed = claimed.as_ref().ok_or(Error::Busy)?;
    let factor = store::two_factor::find(edit, operator.user_id).await?;
    let factor = factor.ok_or(NOT_BEGUN)?;
    if use_totp(edit, &factor, code).await? || use_recovery_code(edit, factor.user_id, code).await?
    {
        return wrong_codes::reset(edit, claimed).await;
    }
    Err(INVALID_CODE)
}

/// Like [`require`], but an operator without a second factor cannot prove anything with a code.
pub async fn prove(edit: &mut Edit, operator: &Operator, attempt: &Attempt) -> Result<()> {
    if !operator.two_factor {
        return Err(INVALID_CODE);
    }
    require(edit, operator, Some(attempt)).await
}

/// Uses up a TOTP code. The operator's row is locked, so a code succeeds only once.
async fn use_totp(edit: &mut Edit, factor: &Factor, code: &str) -> Result<bool> {
    let digits: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let is_code = digits.len() == totp::DIGITS && digits.bytes().all(|b| b.is_ascii_digit());
    let Some(code) = digits.parse().ok().filter(|_| is_code) else {
        return Ok(false);
    };
    let secret = edit.open(&context(factor.user_id), &factor.sealed).await?;
    let secret = Secret::new(secret);
    // Authenticator apps use the real time, not the latest time seen.
    let now = edit.core().clock.now();
    let step = totp::matching_step(secret.reveal(), code, now, factor.last_step);
    if let Some(step) = step {
        store::two_factor::set_step(edit, factor.user_id, step).await?;
    }
    Ok(step.is_some())
}

async fn use_recovery_code(edit: &mut Edit, user_id: i64, code: &str) -> Result<bool> {
    let is_part = |c: &char| c.is_ascii_alphanumeric();
    let plain: String = code.chars().filter(is_part).collect();
    let Ok(bytes) = BASE32_NOPAD_NOCASE.decode(plain.as_bytes()) else {
        return Ok(false);
    };
    let hash = Sha256::digest(bytes).into();
    Ok(store::two_factor::use_recovery_code(edit, user_id, &hash).await?)
}

/// The operator who makes the request, locked.
pub async fn own(edit: &mut Edit, user_id: i64) -> Result<Target<Operator>> {
    edit.lock_api_keys().await?;
    let operator = operators::find_and_lock(edit, user_id).await?;
    edit.target(operator)
}

/// Creates a secret. It is not used until it is confirmed.
pub async fn begin(edit: &mut Edit, operator: Target<Operator>) -> Result<Change<Begun>> {
    if operator.two_factor {
        return Err(ENROLLED);
    }
    let secret = Secret::new(random::bytes::<SECRET>());
    let context = context(operator.user_id);
    let sealed = edit.seal(&context, secret.reveal()).await?;
    store::two_factor::set_secret(edit, operator.user_id, Some(&sealed)).await?;
    // No code of the new secret was used yet.
    store::two_factor::set_step(edit, operator.user_id, 0).await?;
    let encoded = BASE32_NOPAD.encode(secret.reveal());
    let begun = Begun {
        uri: uri(&operator.username, &encoded),
        secret: encoded,
    };
    let after = (*operator).clone();
    let change = Change::updated("begin_two_factor", &operator, after);
    Ok(change
        .with_new_secret("secret")
        .revealing_secret()
        .map(|_| begun))
}

/// Confirms the factor, and ends the operator's other sessions, which began without it. Returns the
/// recovery codes, which are shown once.
pub async fn confirm(
    edit: &mut Edit,
    operator: Target<Operator>,
    code: &str,
) -> Result<Change<Vec<String>>> {
    if operator.two_factor {
        return Err(ENROLLED);
    }
    let factor = store::two_factor::find(edit, operator.user_id).await?;
    let factor = factor.ok_or(NOT_BEGUN)?;
    if !use_totp(edit, &factor, code).await? {
        return Err(INVALID_CODE);
    }
    store::two_factor::set_confirmed(edit, operator.user_id, true).await?;
    let codes = replace_recovery_codes(edit, operator.user_id).await?;
    let kept = edit.actor().session.as_ref().map(|session| session.id);
    end_of(edit, operator.user_id, kept).await?;
    edit.announce(TOPIC).await?;
    let after = Operator {
        two_factor: true,
        ..(*operator).clone()
    };
    let change = Change::updated("confirm_two_factor", &operator, after);
    Ok(change.revealing_secret().map(|_| codes))
}

/// Replaces the recovery codes, used or not. Returns the new ones, which are shown once.
pub async fn renew_recovery_codes(
    edit: &mut Edit,
    operator: Target<Operator>,
) -> Result<Change<Vec<String>>> {
    if !operator.two_factor {
        return Err(NOT_BEGUN);
    }
    let codes = replace_recovery_codes(edit, operator.user_id).await?;
    let after = (*operator).clone();
    let change = Change::updated("renew_recovery_codes", &operator, after);
    Ok(change
        .with_new_secret("recovery_codes")
        .revealing_secret()
        .map(|_| codes))
}

async fn replace_recovery_codes(edit: &mut Edit, user_id: i64) -> Result<Vec<String>> {
    store::two_factor::delete_recovery_codes(edit, user_id).await?;
    let mut codes = Vec::new();
    for _ in 0..RECOVERY_CODES {
        let bytes = random::bytes::<RECOVERY_CODE>();
        let hash = Sha256::digest(bytes).into();
        store::two_factor::add_recovery_code(edit, user_id, &hash).await?;
        codes.push(shown(&BASE32_NOPAD.encode(&bytes)));
    }
    Ok(codes)
}

/// Formats a code in groups of four.
fn shown(code: &str) -> String {
    let code = code.to_ascii_lowercase();
    let groups: Vec<&str> = (0..code.len())
        .step_by(4)
        .filter_map(|start| code.get(start..start + 4))
        .collect();
    groups.join("-")
}

/// Removes the caller's own factor. The password was checked before.
pub async fn remove(
    edit: &mut Edit,
    operator: Target<Operator>,
    attempt: &Attempt,
) -> Result<Change<Operator>> {
    if !operator.two_factor {
        return Err(NOT_BEGUN);
    }
    require(edit, &operator, Some(attempt)).await?;
    forget(edit, operator, "remove_two_factor").await
}

/// Removes the factor of an operator who lost it.
pub async fn reset(edit: &mut Edit, operator: Target<Operator>) -> Result<Change<Operator>> {
    operators::require_no_restrictions(edit)?;
    forget(edit, operator, "reset_two_factor").await
}

async fn forget(
    edit: &mut Edit,
    operator: Target<Operator>,
    verb: &str,
) -> Result<Change<Operator>> {
    store::two_factor::set_secret(edit, operator.user_id, None).await?;
    store::two_factor::set_confirmed(edit, operator.user_id, false).await?;
    store::two_factor::delete_recovery_codes(edit, operator.user_id).await?;
    edit.announce(TOPIC).await?;
    let after = Operator {
        two_factor: false,
        ..(*operator).clone()
    };
    Ok(Change::updated(verb, &operator, after))
}

/// The URI in the QR code for an authenticator app.
fn uri(username: &str, secret: &str) -> String {
    let mut name = String::new();
    for byte in username.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' => {
                name.push(byte.into());
            }
            _ => name += &format!("%{byte:02X}"),
        }
    }
    format!("otpauth://totp/Steward:{name}?secret={secret}&issuer=Steward")
}

/// Encrypts every secret under a new key.
pub async fn reseal(edit: &mut Edit, old: &SecretKey, new: &SecretKey) -> Result<()> {
    let mut last = 0;
    loop {
        let factors = store::two_factor::after(edit, last, RESEAL_BATCH).await?;
        let Some(end) = factors.last().map(|factor| factor.user_id) else {
            return Ok(());
        };
        for factor in factors {
            let context = context(factor.user_id);
            let sealed = old.reseal(new, &context, &factor.sealed)?;
            store::two_factor::set_secret(edit, factor.user_id, Some(&sealed)).await?;
        }
        last = end;
    }
}

/// Removes every factor after the key they are encrypted under was lost. Returns their number.
pub async fn forget_all(edit: &mut Edit) -> Result<u64> {
    Ok(store::two_factor::delete_all(edit).await?)
}

#[cfg(test)]
mod tests {
    use super::{shown, uri};

    #[test]
    fn the_name_is_encoded_in_the_uri() {
        assert_eq!(
            uri("Anna B/ü", "ABC"),
            "otpauth://totp/Steward:Anna%20B%2F%C3%BC?secret=ABC&issuer=Steward"
        );
    }

    #[test]
    fn recovery_codes_have_groups_of_four() {
        assert_eq!(shown("ABCDEFGHIJKLMNOP"), "abcd-efgh-ijkl-mnop");
    }
}
