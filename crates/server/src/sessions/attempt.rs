//! An attempt to sign in: the rate limit and the password check.

use std::net::IpAddr;

use metrics::counter;

use super::{Attempted, refuse_blocked};
use crate::app::App;
use crate::passwords::limits::{self, Claim, Origin};
use crate::users::sign_in::{self, Credentials};
use crate::users::{Password, User};
use kernel::input::{Place, Raw, Rule, Text, text_that};
use kernel::write::Edit;
use kernel::{Error, ErrorCode, Result, inline_schema, input};

input! {
    /// Who signs in, and where.
    pub struct SignIn {
        /// A username or an email address, without regard to case.
        login: Text<1, 254>,
        /// Up to 1024 bytes in UTF-8.
        password: Password<1>,
        /// What to call the device.
        device_name: Text<1, 100>,
        /// What its browser or program calls itself.
        user_agent: Text<1, 512>,
        /// The address of the person who signs in, for the limits of attempts. Without it, the
        /// limits of all people who sign in through this client are counted together.
        client_ip: Option<ClientIp>,
    }
}

/// An IPv4 or IPv6 address.
#[derive(Clone, Copy, Debug)]
pub struct ClientIp(pub IpAddr);

impl Rule for ClientIp {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_address = |text: &str| text.parse::<IpAddr>().is_ok();
        let text = text_that(raw, place, is_address, "must be an IPv4 or IPv6 address")?;
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

/// Checks the password. It is slow, and takes the same time for a user who does not exist. The
/// attempt counts even if the request then fails. `caller_ip` is the address of the API client.
pub async fn attempt(
    app: &App,
    caller_ip: Option<IpAddr>,
    sign_in: &SignIn,
) -> Result<(Attempt, Attempted)> {
    let login = sign_in::folded(sign_in.login.as_str());
    let known = sign_in::credentials(&mut *app.db.read().await?, sign_in.login.as_str()).await?;
    let user_id = known.as_ref().map(|known| known.user_id);
    let client_ip = sign_in.client_ip.map(|ClientIp(ip)| ip);
    let attempted = Attempted { user_id, client_ip };
    // Before the attempt is counted, so that one that cannot be checked does not count.
    let place = app.passwords.queue()?;
    let origin = client_ip.map_or(Origin::Program(caller_ip), Origin::Person);
    let claimed = match limits::claim(app, &login, origin).await? {
        Claim::Granted(claimed) => claimed,
        Claim::Refused(retry_after) => {
            let refused = Attempt::TooMany {
                user_id,
                retry_after,
            };
            return Ok((refused, attempted));
        }
    };
    let stored = known.as_ref().map(|known| &known.password_hash);
    let is_right = place.check(&sign_in.password, stored).await?;
    let attempt = match known.filter(|_| is_right) {
        Some(credentials) => {
            limits::forgive(app, claimed).await?;
            Attempt::Right(credentials)
        }
        None => Attempt::Wrong { user_id },
    };
    Ok((attempt, attempted))
}

impl Attempt {
    /// The user, or why they are not signed in. A block is shown only to a client that knows the
    /// password.
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
        counter!("steward_logins_total", "outcome" => outcome).increment(1);
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
