//! Signing in to the console.

use super::browser::{self, TrustedBrowser};
use super::{Owner, Session, Token, Visit, two_factor};
use crate::app::App;
use crate::operators::{self, Operator};
use crate::passwords::limits::{self, Claim, Claimed, Origin};
use crate::sessions::{self, Attempted, refuse_blocked};
use crate::users::Password;
use crate::users::sign_in::{self as credentials, Credentials};
use kernel::auth::{Actor, OPERATOR};
use kernel::input::{Faults, Text};
use kernel::types::{Timestamp, client_network};
use kernel::write::etag::Condition;
use kernel::write::{Change, Edit};
use kernel::{Error, ErrorCode, Result, input};
use metrics::counter;

input! {
    /// Who signs in to the console: a person with a login and a password, or with an API key.
    pub struct ConsoleSignIn {
        /// A username or an email address, without regard to case.
        login: Option<Text<1, 254>>,
        /// Goes with `login`. Up to 1024 bytes in UTF-8.
        password: Option<Password<1>>,
        /// A code of the second factor, or a recovery code, once there is a second factor.
        code: Option<Text<1, 64>>,
        /// The value of an API key, whose permissions the session has.
        api_key: Option<Text<1, 256>>,
    }
    exactly one of login, api_key
}

/// A session that has begun.
pub struct SignedIn {
    pub token: Token,
    /// A proof for the browser of an operator.
    pub proof: Option<String>,
    pub session: Session,
    /// Who is signed in now.
    pub actor: Actor,
}

const WRONG: Error = Error::Rejected {
    code: ErrorCode::InvalidCredentials,
    message: "The login, the password or the API key is wrong.",
};

/// Checks who signs in and begins a session. A failure leaves an audit entry as well.
pub async fn sign_in(
    app: &App,
    visitor: Actor,
    visit: &Visit,
    input: ConsoleSignIn,
) -> Result<SignedIn> {
    let ConsoleSignIn {
        login,
        password,
        code,
        api_key,
    } = input;
    if let Some(value) = api_key {
        return with_key(app, visitor, visit, value.as_str()).await;
    }
    let (Some(login), Some(password)) = (login, password) else {
        return Err(Faults::one("password", "is required").into());
    };
    let known = credentials::credentials(&mut *app.db.read().await?, login.as_str()).await?;
    let attempted = Attempted {
        user_id: known.as_ref().map(|known| known.user_id),
        client_ip: visitor.ip,
    };
    let attempt = Attempt {
        app,
        visitor: visitor.clone(),
        visit,
        code: code.as_ref().map(Text::as_str),
    };
    let outcome = attempt.run(login.as_str(), &password, known).await;
    count(&outcome);
    if let Err(error) = &outcome {
        sessions::record_failure::<Session>(app, visitor, attempted, error).await;
    }
    outcome
}

/// Faults of the service itself are no attempts.
fn count(outcome: &Result<SignedIn>) {
    let outcome = match outcome {
        Ok(_) => "success",
        Err(Error::UserBlocked { .. }) => "blocked",
        Err(Error::TooManyRequests { .. }) => "throttled",
        Err(Error::Rejected { .. } | Error::Forbidden { .. }) => "invalid",
        Err(_) => return,
    };
    counter!("steward_logins_total", "outcome" => outcome).increment(1);
}

struct Attempt<'a> {
    app: &'a App,
    visitor: Actor,
    visit: &'a Visit,
    code: Option<&'a str>,
}

impl Attempt<'_> {
    async fn run(
        self,
        login: &str,
        password: &Password<1>,
        known: Option<Credentials>,
    ) -> Result<SignedIn> {
        let app = self.app;
        // Before the attempt is counted, so that one that cannot be checked does not count.
        let place = app.passwords.queue()?;
        let origin = self.origin(known.as_ref());
        let claimed = claim(app, &credentials::folded(login), origin).await?;
        let stored = known.as_ref().map(|known| &known.password_hash);
        let is_right = place.check(password, stored).await?;
        let known = known.filter(|_| is_right).ok_or(WRONG)?;
        let signed_in = self.begin(&known).await?;
        // Only now: a wrong code counts as much as a wrong password.
        limits::forgive(app, claimed).await?;
        Ok(signed_in)
    }

    /// A browser that the operator has signed in with before is not limited by other people.
    fn origin(&self, known: Option<&Credentials>) -> Origin {
        let proof = self.visit.proof.as_deref();
        let trusted = proof
            .zip(known)
            .and_then(|(proof, known)| browser::check(self.app, proof, known.user_id));
        match (trusted, self.visitor.ip) {
            (Some(TrustedBrowser(id)), _) => Origin::Browser(id),
            (None, Some(ip)) => Origin::Person(ip),
            (None, None) => Origin::Program(None),
        }
    }

    /// Begins a session of a user whose password was right.
    async fn begin(self, known: &Credentials) -> Result<SignedIn> {
        let Self {
            app,
            visitor,
            visit,
            code,
        } = self;
        let mut edit = Edit::begin(app, visitor, Condition::none()).await?;
        let mut user = credentials::confirmed(&mut edit, known)
            .await?
            .ok_or(WRONG)?;
        refuse_blocked(&mut user)?;
        let operator = operators::find_and_lock(&mut edit, user.id).await?;
        let operator = operator.filter(|operator| operator.active);
        let operator = operator.ok_or(Error::Forbidden {
            code: ErrorCode::NotAnOperator,
            message: "This user may not use the console.",
        })?;
        two_factor::require(&mut edit, &operator, code).await?;
        start(edit, operator, visit, None).await
    }
}

/// Begins the session of an operator and commits it. The audit entry is the operator's own. For one
/// who was just made, it is that of `made`.
pub async fn start(
    mut edit: Edit,
    operator: Operator,
    visit: &Visit,
    made: Option<Change<Operator>>,
) -> Result<SignedIn> {
    let now = edit.now();
    operators::record_sign_in(&mut edit, operator.user_id, now).await?;
    let owner = Owner::Operator(operator.user_id);
    let (token, change) = super::begin(&mut edit, owner, visit).await?;
    let change = match made {
        Some(made) => {
            let session = change.into_part();
            made.map(|_| session)
        }
        None => change,
    };
    let proof = Some(browser::prove(edit.core(), operator.user_id));
    edit.set_actor(|actor| Actor {
        key_name: OPERATOR.into(),
        user_id: Some(operator.user_id),
        user_name: Some(operator.username),
        permissions: operator.permissions,
        ..actor
    });
    finish(edit, token, proof, change).await
}

async fn finish(
    edit: Edit,
    token: Token,
    proof: Option<String>,
    change: Change<Session>,
) -> Result<SignedIn> {
    let actor = edit.actor().clone();
    let session = edit.commit(change).await?;
    Ok(SignedIn {
        token,
        proof,
        session,
        actor,
    })
}

/// Begins a session with the permissions of an API key. Wrong keys are limited as in any request.
async fn with_key(app: &App, visitor: Actor, visit: &Visit, value: &str) -> Result<SignedIn> {
    let network = visitor.ip.map(client_network);
    let elapsed = || app.clock.elapsed();
    let may_look_up = || !network.is_some_and(|from| app.wrong_keys.is_limited(from, elapsed()));
    let limit = app.limits.requests_per_second;
    let admitted = app
        .keys
        .authenticate(app, value, visitor.ip, limit, may_look_up);
    let admitted = match (admitted.await, network) {
        (Err(Error::Unauthorized), network) => {
            let refusal = network.map(|from| app.wrong_keys.record(from, elapsed()));
            return Err(match refusal {
                Some(error @ Error::TooManyRequests { .. }) => error,
                _ => WRONG,
            });
        }
        (admitted, _) => admitted?,
    };
    if let Some(quota) = admitted.quota {
        quota.check()?;
    }
    let actor = Actor {
        key_id: Some(admitted.key.id),
        key_name: admitted.key.name.clone(),
        permissions: admitted.key.permissions,
        ..visitor
    };
    let mut edit = Edit::begin(app, actor, Condition::none()).await?;
    let owner = Owner::Key(admitted.hash);
    let (token, change) = super::begin(&mut edit, owner, visit).await?;
    finish(edit, token, None, change).await
}

/// Counts an attempt; 429 if there were too many.
pub async fn claim(app: &App, folded_login: &str, origin: Origin) -> Result<Claimed> {
    match limits::claim(app, folded_login, origin).await? {
        Claim::Granted(claimed) => Ok(claimed),
        Claim::Refused(retry_after) => Err(Error::TooManyRequests {
            code: ErrorCode::TooManyAttempts,
            message: "There were too many attempts to sign in. Try again later.",
            retry_after,
        }),
    }
}

/// When a session that began at this moment ends, if it is used until then.
pub fn expires_at(created_at: Timestamp) -> Timestamp {
    Timestamp::from_unix(created_at.unix() + kernel::auth::console::LIFETIME)
}
