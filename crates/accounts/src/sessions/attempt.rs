//! A sign-in attempt: the rate limit and the password check.

use std::net::IpAddr;

use super::{Attempted, refuse_blocked};
use crate::passwords::Password;
use crate::passwords::limits::{self, Account, Origin};
use crate::passwords::{self, Verdict, Waiter};
use crate::sessions::State;
use crate::users::User;
use crate::users::sign_in::{self, Credentials};
use kernel::input::{Fault, Line, Place, Raw, Rule, Text, TextFormat, text_that};
use kernel::write::Edit;
use kernel::{Error, ErrorCode, Result, inline_schema, input};

input! {
    /// The credentials and the device of a sign-in.
    pub struct SignIn {
        /// A username or an email address, ignoring case.
        login: Text<1, 254>,
        /// Up to 1024 bytes in UTF-8.
        password: Password<1>,
        /// The name of the device.
        device_name: Line<1, 100>,
        /// The `User-Agent` of the browser or program.
        user_agent: Text<1, 512>,
        /// The address of the person who signs in, for the rate limits of attempts. Without it, all
        /// people who sign in through this client share the limits.
        client_ip: Option<ClientIp>,
    }
}

/// An IPv4 or IPv6 address.
#[derive(Clone, Copy, Debug)]
pub struct ClientIp(pub IpAddr);

impl Rule for ClientIp {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_address = |text: &str| text.parse::<IpAddr>().is_ok();
        let text = text_that(
            raw,
            place,
            is_address,
            Fault::wrong_format(TextFormat::IpAddress),
        )?;
        text.parse().ok().map(Self)
    }
}

inline_schema!(ClientIp, { "type": "string", "format": "ip" });

/// The result of an attempt.
#[derive(Debug)]
pub enum Attempt {
    Right(Credentials),
    Wrong {
        user_id: Option<i64>,
    },
    TooMany {
        user_id: Option<i64>,
        retry_after: u64,
    },
}

/// Checks the password. This is slow, and takes the same time if the user does not exist. The
/// attempt counts even if the request then fails. `caller_ip` is the address of the API client.
pub async fn attempt(
    state: &State,
    caller_ip: Option<IpAddr>,
    sign_in: &SignIn,
) -> Result<(Attempt, Attempted)> {
    let login = sign_in::folded(sign_in.login.as_str());
    let mut known = sign_in::credentials(
        &mut *state.kernel.core.db.read().await?,
        sign_in.login.as_str(),
    )
    .await?;
    let user_id = known.as_ref().map(|known| known.user_id);
    let client_ip = sign_in.client_ip.map(|ClientIp(ip)| ip);
    let attempted = Attempted {
        user_id,
        client_ip,
        provider: None,
    };
    let checking = passwords::Attempt {
        account: user_id.map_or(Account::Unknown(&login), Account::User),
        origin: client_ip.map_or(Origin::Program(caller_ip), Origin::Person),
        waiter: Waiter::Key,
    };
    let stored = known.as_mut().map(|known| &mut known.password_hash);
    let (core, passwords) = (&state.kernel.core, &state.passwords);
    let verdict = checking
        .check(core, passwords, &sign_in.password, stored)
        .await?;
    let attempt = match (verdict, known) {
        (Verdict::Right(claimed), Some(credentials)) => {
            limits::take_back(core, claimed).await?;
            Attempt::Right(credentials)
        }
        (Verdict::Refused(retry_after), _) => Attempt::TooMany {
            user_id,
            retry_after,
        },
        _ => Attempt::Wrong { user_id },
    };
    Ok((attempt, attempted))
}

impl Attempt {
    /// The user, or the reason for refusing them. A block is revealed only to a client that knows
    /// the password.
    pub async fn decide(self, edit: &mut Edit) -> Result<User> {
        let wrong = Error::Rejected {
            code: ErrorCode::InvalidCredentials,
            message: "The login or the password is wrong.",
        };
        let (outcome, user_id, decided) = match self {
            Self::Right(credentials) => {
                let user_id = Some(credentials.user_id);
                match sign_in::confirmed(edit, &credentials).await? {
                    Some(mut user) => match refuse_blocked(&mut user) {
                        Ok(()) => ("success", user_id, Ok(user)),
                        Err(error) => ("blocked", user_id, Err(error)),
                    },
                    None => ("invalid", user_id, Err(wrong)),
                }
            }
            Self::Wrong { user_id } => ("invalid", user_id, Err(wrong)),
            Self::TooMany {
                user_id,
                retry_after,
            } => {
                let error = Error::TooManyRequests {
                    code: ErrorCode::TooManyAttempts,
                    message: "There were too many attempts to sign in. Try again later.",
                    retry_after,
                };
                ("throttled", user_id, Err(error))
            }
        };
        let labels = [("outcome", outcome)];
        let logins = edit.core().metrics.counter("steward_logins_total", &labels);
        logins.increment(1);
        if decided.is_err() {
            let actor = edit.actor();
            let (request_id, client_request_id) = (&actor.request_id, &actor.client_request_id);
            tracing::info!(
                request_id,
                client_request_id,
                user_id,
                outcome,
                "a user was not signed in"
            );
        }
        decided
    }
}
