//! Signing in to the console.

use super::browser::{self, TrustedBrowser};
use super::two_factor;
use super::wrong_codes::Source;
use super::{Owner, Session, Token, Visit};
use crate::operators::{self, Failures, Operator};
use crate::passwords::limits::{self, Account, Claimed, Origin};
use crate::passwords::{self, Password, Verdict, Waiter};
use crate::sessions::State;
use crate::sessions::{self, Attempted, refuse_blocked};
use crate::users::ACTIVE;
use crate::users::sign_in::{self as credentials, Credentials};
use kernel::auth::{Actor, OPERATOR};
use kernel::input::{Fault, Faults, Text};
use kernel::secret::Secret;
use kernel::types::{Timestamp, client_network};
use kernel::write::etag::Condition;
use kernel::write::{Change, Edit};
use kernel::{Error, ErrorCode, Result, input};

input! {
    /// Credentials for the console: a login and a password, or an API key.
    pub struct ConsoleSignIn {
        /// A username or an email address, ignoring case.
        login: Option<Text<1, 254>>,
        /// Required with `login`. Up to 1024 bytes in UTF-8.
        password: Option<Password<1>>,
        /// A code of the second factor or a recovery code, if the operator has a second factor.
        code: Option<Text<1, 64>>,
        /// The value of an API key. The session has its permissions.
        api_key: Option<Text<1, 256>>,
    }
    exactly one of login, api_key
}

/// A new session.
pub struct SignedIn {
    pub token: Token,
    /// The proof for an operator's browser.
    pub proof: Option<String>,
    pub session: Session,
    /// The signed-in actor.
    pub actor: Actor,
}

const WRONG: Error = Error::Rejected {
    code: ErrorCode::InvalidCredentials,
    message: "The login, the password or the API key is wrong.",
};

/// Checks the credentials and begins a session. A failure is audited as well.
pub async fn sign_in(
    state: &State,
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
        return with_key(state, visitor, visit, value.as_str()).await;
    }
    let (Some(login), Some(password)) = (login, password) else {
        return Err(Faults::one("password", Fault::Required {}).into());
    };
    let known =
        credentials::credentials(&mut *state.kernel.core.db.read().await?, login.as_str()).await?;
    let attempted = Attempted {
        user_id: known.as_ref().map(|known| known.user_id),
        client_ip: visitor.ip,
        provider: None,
    };
    let attempt = Attempt {
        state,
        visitor: visitor.clone(),
        visit,
        code: code.as_ref().map(Text::as_str),
    };
    let outcome = attempt.run(login.as_str(), &password, known).await;
    count(state, &outcome);
    if let Err(error) = &outcome {
        sessions::record_failure::<Session>(state, visitor, attempted, error).await;
    }
    outcome
}

/// Counts the attempt in the metrics. Internal errors do not count as attempts.
fn count(state: &State, outcome: &Result<SignedIn>) {
    let outcome = match outcome {
        Ok(_) => "success",
        Err(Error::UserBlocked { .. }) => "blocked",
        Err(Error::TooManyRequests { .. }) => "throttled",
        Err(Error::Rejected { .. } | Error::Forbidden { .. }) => "invalid",
        Err(_) => return,
    };
    let labels = [("outcome", outcome)];
    let logins = state
        .kernel
        .core
        .metrics
        .counter("steward_logins_total", &labels);
    logins.increment(1);
}

struct Attempt<'a> {
    state: &'a State,
    visitor: Actor,
    visit: &'a Visit,
    code: Option<&'a str>,
}

impl Attempt<'_> {
    async fn run(
        self,
        login: &str,
        password: &Password<1>,
        mut known: Option<Credentials>,
    ) -> Result<SignedIn> {
        let state = self.state;
        let browser = self.browser(known.as_ref());
        let folded = credentials::folded(login);
        let user = known.as_ref().map(|known| Account::User(known.user_id));
        let (origin, waiter) = self.origin(browser);
        let attempt = passwords::Attempt {
            account: user.unwrap_or(Account::Unknown(&folded)),
            origin,
            waiter,
        };
        let stored = known.as_mut().map(|known| &mut known.password_hash);
        let claimed = check(state, attempt, password, stored).await?;
        let (known, claimed) = known.zip(claimed).ok_or(WRONG)?;
        let signed_in = self.begin(&known, browser).await?;
        // Comes after the code is checked: a wrong code is a failed sign-in, too.
        limits::reset(&state.kernel.core, claimed).await?;
        Ok(signed_in)
    }

    /// The browser, if this user signed in with it before.
    fn browser(&self, known: Option<&Credentials>) -> Option<TrustedBrowser> {
        let proof = self.visit.proof.as_deref().zip(known);
        proof.and_then(|(proof, known)| browser::check(&self.state.kernel.core, proof, known))
    }

    /// The origin of the attempt. Attempts of others do not limit a trusted browser.
    fn origin(&self, browser: Option<TrustedBrowser>) -> (Origin, Waiter) {
        let ip = self.visitor.ip;
        match browser {
            Some(TrustedBrowser(id)) => (Origin::Browser(id), Waiter::Browser(ip)),
            None => {
                let origin = ip.map_or(Origin::Program(None), Origin::Person);
                (origin, Waiter::Visitor(ip))
            }
        }
    }

    /// Begins a session of a user whose password was correct.
    async fn begin(self, known: &Credentials, browser: Option<TrustedBrowser>) -> Result<SignedIn> {
        let Self {
            state,
            visitor,
            visit,
            code,
        } = self;
        let source = browser.map_or(Source::Anyone, Source::Browser);
        let attempt = match code {
            Some(code) => {
                let core = &state.kernel.core;
                Some(two_factor::Attempt::claim(core, known.user_id, source, code).await?)
            }
            None => None,
        };
        let mut edit = Edit::begin(&state.kernel.core, visitor, Condition::none()).await?;
        let mut user = credentials::confirmed(&mut edit, known)
            .await?
            .ok_or(WRONG)?;
        refuse_blocked(&mut user)?;
        let operator = operators::find_and_lock(&mut edit, user.id).await?;
        let operator = operator.filter(|operator| operator.active && user.status == ACTIVE);
        let operator = operator.ok_or(Error::Forbidden {
            code: ErrorCode::NotAnOperator,
            message: "This user may not use the console.",
        })?;
        two_factor::require(&mut edit, &operator, attempt.as_ref()).await?;
        start(edit, operator, visit, None).await
    }
}

/// Begins the session of an operator and commits it. The actor of the audit entry is the operator.
/// For a new operator, the entry records `made` instead of the session.
pub async fn start(
    mut edit: Edit,
    operator: Operator,
    visit: &Visit,
    made: Option<Change<Operator>>,
) -> Result<SignedIn> {
    let now = edit.now();
    operators::record_sign_in(&mut edit, operator.user_id, now).await?;
    let owner = Owner::Operator(operator.user_id);
    let (token, change) = super::begin(&mut edit, owner, visit, operator.failures).await?;
    let change = match made {
        Some(made) => {
            let session = change.into_part();
            made.map(|_| session)
        }
        None => change,
    };
    let known = credentials::credentials_of(&mut edit, operator.user_id).await?;
    let proof = known.map(|known| browser::prove(edit.core(), &known));
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
async fn with_key(state: &State, visitor: Actor, visit: &Visit, value: &str) -> Result<SignedIn> {
    let network = visitor.ip.map(client_network);
    let elapsed = || state.kernel.core.clock.elapsed();
    let may_look_up =
        || !network.is_some_and(|from| state.kernel.wrong_keys.is_limited(from, elapsed()));
    let limit = state.kernel.limits.requests_per_second;
    let admitted =
        state
            .kernel
            .keys
            .authenticate(&state.kernel.core, value, visitor.ip, limit, may_look_up);
    let admitted = match (admitted.await, network) {
        (Err(Error::Unauthorized), network) => {
            let refusal = network.map(|from| state.kernel.wrong_keys.record(from, elapsed()));
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
    let mut edit = Edit::begin(&state.kernel.core, actor, Condition::none()).await?;
    let owner = Owner::Key(admitted.hash);
    let (token, change) = super::begin(&mut edit, owner, visit, Failures::default()).await?;
    finish(edit, token, None, change).await
}

/// Checks a password; 429 if there were too many attempts. `None` if it is wrong.
pub async fn check(
    state: &State,
    attempt: passwords::Attempt<'_>,
    password: &Password<1>,
    stored: Option<&mut Secret<String>>,
) -> Result<Option<Claimed>> {
    let (core, passwords) = (&state.kernel.core, &state.passwords);
    match attempt.check(core, passwords, password, stored).await? {
        Verdict::Right(claimed) => Ok(Some(claimed)),
        Verdict::Wrong => Ok(None),
        Verdict::Refused(retry_after) => Err(Error::TooManyRequests {
            code: ErrorCode::TooManyAttempts,
            message: "There were too many attempts to sign in. Try again later.",
            retry_after,
        }),
    }
}

/// The latest end of a session that began at `created_at`.
pub fn expires_at(created_at: Timestamp) -> Timestamp {
    Timestamp::from_unix(created_at.unix() + kernel::auth::console::LIFETIME)
}
