//! The second factor: codes of an authenticator app, and recovery codes for when it is lost.

use data_encoding::{BASE32_NOPAD, BASE32_NOPAD_NOCASE};
use sha2::{Digest, Sha256};

use super::{store, totp};
use crate::operators::{self, Operator};
use kernel::auth::TOPIC;
use kernel::secret::{Secret, SecretKey};
use kernel::types::random;
use kernel::write::{Change, Edit, Target};
use kernel::{Error, ErrorCode, Result};

/// The length of a secret in bytes, as RFC 4226 recommends.
const SECRET: usize = 20;
const RECOVERY_CODES: usize = 10;
/// In bytes; twice eight characters.
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

/// What the authenticator app needs.
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
    message: "There is no second factor to confirm or to remove.",
};

const ENROLLED: Error = Error::Conflict {
    code: ErrorCode::TwoFactorEnrolled,
    message: "There is a second factor already. Remove it first.",
};

fn context(user_id: i64) -> String {
    format!("second factor of operator {user_id}")
}

/// Whether the code is right, if the operator has a second factor. It is used up by that.
pub async fn require(edit: &mut Edit, operator: &Operator, code: Option<&str>) -> Result<()> {
    if !operator.two_factor {
        return Ok(());
    }
    let Some(code) = code else {
        return Err(Error::Rejected {
            code: ErrorCode::TwoFactorRequired,
            message: "Send a code of your second factor, or a recovery code, as well.",
        });
    };
    let factor = store::two_factor::find(edit, operator.user_id).await?;
    let factor = factor.ok_or(NOT_BEGUN)?;
    if use_totp(edit, &factor, code).await? || use_recovery_code(edit, factor.user_id, code).await?
    {
        return Ok(());
    }
    Err(INVALID_CODE)
}

/// The operator's row is locked, so that one of many requests with the same code gets it.
async fn use_totp(edit: &mut Edit, factor: &Factor, code: &str) -> Result<bool> {
    let digits: String = code.chars().filter(|c| !c.is_whitespace()).collect();
    let is_code = digits.len() == totp::DIGITS && digits.bytes().all(|b| b.is_ascii_digit());
    let Some(code) = digits.parse().ok().filter(|_| is_code) else {
        return Ok(false);
    };
    let secret = edit.open(&context(factor.user_id), &factor.sealed).await?;
    let secret = Secret::new(secret);
    // The clock itself: authenticator apps know nothing of the latest time seen.
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

/// The operator whose request it is, locked.
pub async fn own(edit: &mut Edit, user_id: i64) -> Result<Target<Operator>> {
    edit.lock_api_keys().await?;
    let operator = operators::find_and_lock(edit, user_id).await?;
    edit.target(operator)
}

/// Makes a secret. It is not in use before it is confirmed.
pub async fn begin(edit: &mut Edit, operator: Target<Operator>) -> Result<Change<Begun>> {
    if operator.two_factor {
        return Err(ENROLLED);
    }
    let secret = Secret::new(random::bytes::<SECRET>());
    let context = context(operator.user_id);
    let sealed = edit.seal(&context, secret.reveal()).await?;
    store::two_factor::set_secret(edit, operator.user_id, Some(&sealed)).await?;
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

/// Takes the factor into use. Returns the recovery codes, which are shown once.
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
    store::two_factor::delete_recovery_codes(edit, operator.user_id).await?;
    let mut codes = Vec::new();
    for _ in 0..RECOVERY_CODES {
        let bytes = random::bytes::<RECOVERY_CODE>();
        let hash = Sha256::digest(bytes).into();
        store::two_factor::add_recovery_code(edit, operator.user_id, &hash).await?;
        codes.push(shown(&BASE32_NOPAD.encode(&bytes)));
    }
    edit.announce(TOPIC).await?;
    let after = Operator {
        two_factor: true,
        ..(*operator).clone()
    };
    let change = Change::updated("confirm_two_factor", &operator, after);
    Ok(change.revealing_secret().map(|_| codes))
}

/// In groups of four.
fn shown(code: &str) -> String {
    let code = code.to_ascii_lowercase();
    let groups: Vec<&str> = (0..code.len())
        .step_by(4)
        .filter_map(|start| code.get(start..start + 4))
        .collect();
    groups.join("-")
}

/// Removes the factor of the operator whose request it is. The password was checked before.
pub async fn remove(
    edit: &mut Edit,
    operator: Target<Operator>,
    code: &str,
) -> Result<Change<Operator>> {
    if !operator.two_factor {
        return Err(NOT_BEGUN);
    }
    require(edit, &operator, Some(code)).await?;
    forget(edit, operator, "remove_two_factor").await
}

/// Removes a factor that was lost.
pub async fn reset(edit: &mut Edit, operator: Target<Operator>) -> Result<Change<Operator>> {
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

/// What an authenticator app reads from a QR code.
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
            let sealed = old.reseal(new, &context, &context, &factor.sealed)?;
            store::two_factor::set_secret(edit, factor.user_id, Some(&sealed)).await?;
        }
        last = end;
    }
}

/// Removes every factor when the key they are encrypted under is lost. Returns how many there were.
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
