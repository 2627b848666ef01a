//! Operations of the console's sessions.

mod invitations;
mod operators;
mod setup;
mod two_factor;

use axum::extract::State;
use axum::http::HeaderValue;
use db::Conn;
use serde::Serialize;

use super::browser::PROOF_SECONDS;
use super::password::{check_own, new_proof};
use super::sign_in::expires_at;
use super::{
    ConsoleConfirmation, ConsolePassword, ConsoleSignIn, Owner, Session, SignedIn, Visit,
    operator_id,
};
use crate::operators::Failures;
use crate::passwords::Waiter;
use crate::passwords::limits::{self, Claimed};
use crate::sessions::{Attempted, Features};
use crate::{console, sessions};
use kernel::auth::Actor;
use kernel::auth::console::LIFETIME;
use kernel::auth::permission::{Permission, Right, SignedIn as Signed};
use kernel::http::cookie::Cookie;
use kernel::http::paging::ListRequest;
use kernel::http::path::SessionId;
use kernel::http::reply::{Created, Done, List, Message};
use kernel::http::routing::{
    ApiRouter, TransformOperation, delete_with, failing, get_with, named, post_with, put_with,
};
use kernel::http::visitor::{Browser, Visitor, WithCookies};
use kernel::http::{Caller, Writer};
use kernel::list::PagingOrAll;
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::{Error, Result};

/// The operator who is signed in.
#[derive(Serialize, JsonSchema)]
struct SignedInOperator {
    user_id: i64,
    username: String,
    email: String,
    /// Whether signing in takes a second factor.
    two_factor: bool,
}

/// The API key that was used to sign in.
#[derive(Serialize, JsonSchema)]
struct SignedInKey {
    id: i64,
    name: String,
}

/// The caller's session.
#[derive(Serialize, JsonSchema)]
struct ConsoleSession {
    permissions: Vec<&'static Permission>,
    /// Absent if an API key was used to sign in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SignedInOperator", default)]
    operator: Option<SignedInOperator>,
    /// Absent if an operator signed in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "SignedInKey", default)]
    key: Option<SignedInKey>,
    /// When the session expires. It expires earlier after 12 hours without use.
    expires_at: Timestamp,
    features: Features,
    /// Failed attempts to sign in as the operator since the sign-in before this one. Only in the
    /// reply to GET; absent if an API key was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Failures", default)]
    failures: Option<Failures>,
}

impl ConsoleSession {
    async fn read(state: &sessions::State, actor: &Actor, expires_at: Timestamp) -> Result<Self> {
        let operator = match actor.user_id {
            Some(user_id) => {
                crate::operators::find(&mut *state.kernel.core.db.read().await?, user_id).await?
            }
            None => None,
        };
        let key = actor.key_id.map(|id| SignedInKey {
            id,
            name: actor.key_name.clone(),
        });
        Ok(Self {
            permissions: actor.permissions.list(),
            operator: operator.map(|operator| SignedInOperator {
                user_id: operator.user_id,
                username: operator.username,
                email: operator.email,
                two_factor: operator.two_factor,
            }),
            key,
            expires_at,
            features: state.features,
            failures: None,
        })
    }
}

/// A session of an operator or of a key.
#[derive(Serialize, JsonSchema)]
struct ConsoleSessionItem {
    id: i64,
    created_at: Timestamp,
    last_used_at: Timestamp,
    /// The address at which the session began.
    ip: Option<String>,
    /// The browser's `User-Agent`.
    user_agent: String,
    /// Whether this is the session of this request.
    current: bool,
}

impl ConsoleSessionItem {
    fn new(session: Session, current: i64) -> Self {
        Self {
            current: session.id == current,
            id: session.id,
            created_at: session.created_at,
            last_used_at: session.last_used_at,
            ip: session.ip,
            user_agent: session.user_agent,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct ConsoleSessionList {
    sessions: Vec<ConsoleSessionItem>,
}

impl ConsoleSessionList {
    async fn read(
        conn: &mut Conn,
        owner: Owner,
        caller: &Caller<impl Right>,
        request: ListRequest<PagingOrAll>,
    ) -> Result<List<Self>> {
        let now = caller.now();
        let total = console::count(conn, owner, now).await?;
        let mut found = console::list(conn, owner, now, request.window()).await?;
        let headers = request.headers(total, &mut found, |session| session.id);
        let current = caller.actor().session.as_ref().map_or(0, |own| own.id);
        let sessions = found.into_iter();
        let sessions = sessions.map(|session| ConsoleSessionItem::new(session, current));
        let body = Self {
            sessions: sessions.collect(),
        };
        List::new(headers, &body)
    }
}

fn visit(actor: &Actor, browser: &Browser) -> Visit {
    Visit {
        ip: actor.ip,
        user_agent: browser.user_agent.clone(),
        proof: browser.proof.clone(),
    }
}

fn proof_cookie(browser: &Browser, proof: Option<&str>) -> Option<HeaderValue> {
    Cookie::Browser.set(browser.is_secure, proof?, PROOF_SECONDS)
}

/// The reply that starts a session, with its cookies.
async fn begun(
    state: &sessions::State,
    browser: &Browser,
    signed_in: SignedIn,
) -> Result<WithCookies<Created<ConsoleSession>>> {
    let proof = proof_cookie(browser, signed_in.proof.as_deref());
    let token = signed_in.token.reveal();
    let ends = expires_at(signed_in.session.created_at);
    Ok(WithCookies {
        reply: Created::new(&ConsoleSession::read(state, &signed_in.actor, ends).await?)?,
        cookies: vec![
            Cookie::Session.set(browser.is_secure, token, LIFETIME),
            proof,
        ],
    })
}

async fn sign_in(
    State(state): State<sessions::State>,
    visitor: Visitor<ConsoleSignIn>,
) -> Result<WithCookies<Created<ConsoleSession>>> {
    let Visitor {
        actor,
        browser,
        body,
    } = visitor;
    let visit = visit(&actor, &browser);
    let signed_in = console::sign_in(&state, actor, &visit, body.valid()?).await?;
    begun(&state, &browser, signed_in).await
}

async fn get(
    State(state): State<sessions::State>,
    caller: Caller<Signed>,
) -> Result<Done<ConsoleSession>> {
    let actor = caller.actor();
    let session = actor.session.as_ref().ok_or(Error::Unauthorized)?;
    let mut shown = ConsoleSession::read(&state, actor, session.expires_at).await?;
    if actor.user_id.is_some() {
        let mut read = caller.read().await?;
        shown.failures = Some(console::failures(&mut read, session.id).await?);
    }
    Done::new(&shown)
}

async fn sign_out(browser: Browser, writer: Writer<Signed>) -> Result<WithCookies<Done<Message>>> {
    let own = writer.actor().session.as_ref().map_or(0, |own| own.id);
    let run = writer.run(async |edit, _| {
        let session = console::target(edit, own).await?;
        let ended = console::end(edit, session).await?;
        Ok(ended.map(|_| Message::new("Signed out.")))
    });
    Ok(WithCookies {
        reply: run.await?,
        cookies: vec![Cookie::Session.clear(browser.is_secure)],
    })
}

async fn list(
    caller: Caller<Signed>,
    request: ListRequest<PagingOrAll>,
) -> Result<List<ConsoleSessionList>> {
    let mut read = caller.read_alone().await?;
    let owner = console::owner(&mut read, caller.actor()).await?;
    ConsoleSessionList::read(&mut read, owner, &caller, request).await
}

async fn end(id: SessionId, writer: Writer<Signed>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let session = console::target(edit, id.0).await?;
        let ended = console::end(edit, session).await?;
        Ok(ended.map(|_| Message::new("Session ended.")))
    });
    run.await
}

async fn set_password(
    State(state): State<sessions::State>,
    browser: Browser,
    writer: Writer<Signed, ConsolePassword>,
) -> Result<WithCookies<Done<Message>>> {
    let actor = writer.actor().clone();
    let mut attempt = None;
    let preparing = writer.prepare(async |new| {
        let ConsolePassword {
            current_password,
            password,
        } = new;
        let (known, claimed) = check_own(&state, &actor, &current_password).await?;
        attempt = Some(claimed);
        let place = state.passwords.queue(Waiter::Browser(actor.ip))?;
        let hash = place.hash(&password).await?;
        Ok((known, hash))
    });
    let run = preparing.await.run(async |edit, body| {
        let (known, hash) = body.valid()?;
        let changed = console::change_password(edit, &known, hash).await?;
        let message = "Password changed; your other sessions have ended.";
        Ok(changed.map(|_| Message::new(message)))
    });
    let reply = run.await?;
    take_back(&state, attempt).await?;
    let proof = new_proof(&state, operator_id(&actor)?).await?;
    Ok(WithCookies {
        reply,
        cookies: vec![proof_cookie(&browser, proof.as_deref())],
    })
}

async fn confirm(
    State(state): State<sessions::State>,
    writer: Writer<Signed, ConsoleConfirmation>,
) -> Result<Done<Message>> {
    let actor = writer.actor().clone();
    let mut attempt = None;
    let preparing = writer.prepare(async |input| {
        let (confirmation, claimed) = console::check_confirmation(&state, &actor, input).await?;
        attempt = claimed;
        Ok(confirmation)
    });
    let run = preparing.await.run(async |edit, body| {
        let confirmed = console::confirm(edit, &body.valid()?).await?;
        Ok(confirmed.map(|_| Message::new("Confirmed.")))
    });
    let outcome = run.await;
    match &outcome {
        Ok(_) => take_back(&state, attempt).await?,
        Err(error) => {
            let attempted = Attempted {
                user_id: actor.user_id,
                client_ip: actor.ip,
                provider: None,
            };
            sessions::record_failure::<Session>(&state, actor, attempted, error).await;
        }
    }
    outcome
}

/// Removes a successful attempt from the count.
async fn take_back(state: &sessions::State, attempt: Option<Claimed>) -> Result<()> {
    match attempt {
        Some(claimed) => limits::take_back(&state.kernel.core, claimed).await,
        None => Ok(()),
    }
}

const REFUSED: &str =
    "The user is blocked or not an operator, or the request comes from another site.";
const TOO_MANY: &str = "There were too many attempts within a minute: five for this login from one network, \
                        50 from one network, 200 from an IPv6 /48, or 100 for this login. Or \
                        there were too many wrong codes in a row.";
const NO_PASSWORD: &str =
    "The session belongs to an API key, or the request comes from another site.";

fn attempting(
    id: &'static str,
    summary: &'static str,
    refused: &'static str,
) -> impl FnOnce(TransformOperation<'_>) -> TransformOperation<'_> {
    move |operation| {
        let operation = named(id, summary)(operation);
        failing(failing(operation, 403, refused), 429, TOO_MANY)
    }
}

pub fn routes() -> ApiRouter<sessions::State> {
    ApiRouter::new()
        .api_route(
            "/api/console/session",
            post_with(
                sign_in,
                attempting("signIn", "Sign in to the console", REFUSED),
            )
            .get_with(get, named("getOwnSession", "Show who is signed in"))
            .delete_with(sign_out, named("signOut", "Sign out of the console")),
        )
        .api_route(
            "/api/console/sessions",
            get_with(list, named("listOwnSessions", "List your own sessions")),
        )
        .api_route(
            "/api/console/sessions/{sessionId}",
            delete_with(end, named("endOwnSession", "End one of your own sessions")),
        )
        .api_route(
            "/api/console/confirm",
            post_with(
                confirm,
                attempting(
                    "confirmOwnSession",
                    "Confirm your session with a password or a code",
                    NO_PASSWORD,
                ),
            ),
        )
        .api_route(
            "/api/console/password",
            put_with(
                set_password,
                attempting("setOwnPassword", "Change your own password", NO_PASSWORD),
            ),
        )
        .with_path_items(|item| item.tag("Console"))
        .merge(two_factor::routes())
        .merge(setup::routes())
        .merge(operators::routes())
        .merge(invitations::routes())
}
