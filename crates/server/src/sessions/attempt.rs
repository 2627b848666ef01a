//! An attempt to sign in: the rate limit and the password check.

use metrics::counter;

use super::{rate_limit, refuse_blocked};
use crate::app::App;
use crate::users::sign_in::{self, Credentials};
use crate::users::{Password, User};
use kernel::input::Text;
use kernel::write::Edit;
use kernel::{Error, Result, input};

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
    }
}

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
/// attempt counts even if the request then fails.
pub async fn attempt(app: &App, sign_in: &SignIn) -> Result<Attempt> {
    let login = sign_in::folded(sign_in.login.as_str());
    let known = sign_in::credentials(&mut *app.db.read().await?, &login).await?;
    let user_id = known.as_ref().map(|known| known.user_id);
    let subject = rate_limit::Subject::new(known.as_ref(), &login);
    if let Some(retry_after) = rate_limit::claim(app, &subject).await? {
        return Ok(Attempt::TooMany {
            user_id,
            retry_after,
        });
    }
    let stored = known.as_ref().map(|known| &known.password_hash);
    let is_right = app.passwords.check(&sign_in.password, stored).await?;
    Ok(match known.filter(|_| is_right) {
        Some(credentials) => {
            rate_limit::clear(app, &subject).await?;
            Attempt::Right(credentials)
        }
        None => Attempt::Wrong { user_id },
    })
}

impl Attempt {
    /// The user, or why they are not signed in. A block is shown only to a client that knows the
    /// password.
    pub async fn decide(self, edit: &mut Edit) -> Result<User> {
        let wrong = Error::Rejected {
            code: "invalid_credentials",
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
                    code: "too_many_attempts",
                    message: "There were too many attempts to sign in. Try again later.",
                    retry_after,
                };
                ("throttled", user_id, Err(error))
            }
        };
        counter!("steward_logins_total", "outcome" => outcome).increment(1);
        if decided.is_err() {
            let request_id = &edit.actor().request_id;
            tracing::info!(request_id, user_id, outcome, "a user was not signed in");
        }
        decided
    }
}
