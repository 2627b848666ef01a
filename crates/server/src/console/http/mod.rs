//! Operations of the console's sessions.

use aide::axum::ApiRouter;
use aide::axum::routing::{delete_with, get_with, post_with, put_with};
use aide::transform::TransformOperation;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use super::browser::PROOF_SECONDS;
use super::password::{check_own, operator_id};
use super::sign_in::expires_at;
use super::{ConsolePassword, ConsoleSetup, ConsoleSignIn, Session, SignedIn, Visit, two_factor};
use crate::app::App;
use crate::passwords::limits::{self, Claimed};
use crate::users::Password;
use crate::{console, operators};
use kernel::auth::Actor;
use kernel::auth::console::LIFETIME;
use kernel::auth::permission::{Permission, SignedIn as Signed};
use kernel::http::cookie::Cookie;
use kernel::http::openapi::{failing, named, named_failing};
use kernel::http::paging::ListRequest;
use kernel::http::path::SessionId;
use kernel::http::reply::{Created, Done, List, Message};
use kernel::http::visitor::{Browser, Visitor, WithCookies};
use kernel::http::{Caller, Writer};
use kernel::input::Text;
use kernel::list::PagingOrAll;
use kernel::types::Timestamp;
use kernel::{Error, Result, input};

input! {
    /// A code of the second factor, to take it into use.
    struct TwoFactorCode {
        /// What the authenticator app shows.
        code: Text<1, 64>,
    }
}

input! {
    /// What it takes to remove a second factor.
    struct TwoFactorRemoval {
        /// The operator's password.
        password: Password<1>,
        /// A code of the second factor, or a recovery code.
        code: Text<1, 64>,
    }
}

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

/// Who is signed in.
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
    /// The session ends then, or after 12 hours without use.
    expires_at: Timestamp,
}

impl ConsoleSession {
    async fn read(app: &App, actor: &Actor, expires_at: Timestamp) -> Result<Self> {
        let operator = match actor.user_id {
            Some(user_id) => operators::find(&mut *app.db.read().await?, user_id).await?,
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
        })
    }
}

/// A session of one's own.
#[derive(Serialize, JsonSchema)]
struct ConsoleSessionItem {
    id: i64,
    created_at: Timestamp,
    last_used_at: Timestamp,
    /// The address that it began at.
    ip: Option<String>,
    /// What the browser calls itself.
    user_agent: String,
    /// Whether it is the session of this request.
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

#[derive(Serialize, JsonSchema)]
struct TwoFactorBegun {
    message: &'static str,
    /// For an authenticator app, in base 32. It is shown only here.
    secret: String,
    /// The same as a URI, for a QR code.
    uri: String,
}

#[derive(Serialize, JsonSchema)]
struct TwoFactorConfirmed {
    message: &'static str,
    /// Each replaces one code, once. They are shown only here.
    recovery_codes: Vec<String>,
}

fn visit(actor: &Actor, browser: &Browser) -> Visit {
    Visit {
        ip: actor.ip,
        user_agent: browser.user_agent.clone(),
        proof: browser.proof.clone(),
    }
}

/// The reply to a session that has begun, with its cookies.
async fn begun(
    app: &App,
    browser: &Browser,
    signed_in: SignedIn,
) -> Result<WithCookies<Created<ConsoleSession>>> {
    let is_secure = browser.is_secure;
    let proof = signed_in.proof.as_deref();
    let proof = proof.and_then(|proof| Cookie::Browser.set(is_secure, proof, PROOF_SECONDS));
    let token = signed_in.token.reveal();
    let ends = expires_at(signed_in.session.created_at);
    Ok(WithCookies {
        reply: Created::new(&ConsoleSession::read(app, &signed_in.actor, ends).await?)?,
        cookies: vec![Cookie::Session.set(is_secure, token, LIFETIME), proof],
    })
}

async fn sign_in(
    State(app): State<App>,
    visitor: Visitor<ConsoleSignIn>,
) -> Result<WithCookies<Created<ConsoleSession>>> {
    let Visitor {
        actor,
        browser,
        body,
    } = visitor;
    let visit = visit(&actor, &browser);
    let signed_in = console::sign_in(&app, actor, &visit, body.valid()?).await?;
    begun(&app, &browser, signed_in).await
}

async fn set_up(
    State(app): State<App>,
    visitor: Visitor<ConsoleSetup>,
) -> Result<WithCookies<Created<ConsoleSession>>> {
    let Visitor {
        actor,
        browser,
        body,
    } = visitor;
    let visit = visit(&actor, &browser);
    let signed_in = console::set_up(&app, actor, &visit, body.valid()?).await?;
    begun(&app, &browser, signed_in).await
}

async fn get(State(app): State<App>, caller: Caller<Signed>) -> Result<Done<ConsoleSession>> {
    let actor = caller.actor();
    let session = actor.session.as_ref().ok_or(Error::Unauthorized)?;
    Done::new(&ConsoleSession::read(&app, actor, session.expires_at).await?)
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
    let (actor, now) = (caller.actor(), caller.now());
    let mut read = caller.read_alone().await?;
    let owner = console::owner(&mut read, actor).await?;
    let total = console::count(&mut read, owner, now).await?;
    let mut found = console::list(&mut read, owner, now, request.window()).await?;
    let headers = request.headers(total, &mut found, |session| session.id);
    let current = actor.session.as_ref().map_or(0, |own| own.id);
    let sessions = found.into_iter();
    let sessions = sessions.map(|session| ConsoleSessionItem::new(session, current));
    let body = ConsoleSessionList {
        sessions: sessions.collect(),
    };
    List::new(headers, &body)
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
    State(app): State<App>,
    writer: Writer<Signed, ConsolePassword>,
) -> Result<Done<Message>> {
    let actor = writer.actor().clone();
    let mut attempt = None;
    let preparing = writer.prepare(async |new| {
        let ConsolePassword {
            current_password,
            password,
        } = new;
        let (known, claimed) = check_own(&app, &actor, &current_password).await?;
        attempt = Some(claimed);
        let hash = app.passwords.hash(&password).await?;
        Ok((known, hash))
    });
    let run = preparing.await.run(async |edit, body| {
        let (known, hash) = body.valid()?;
        let changed = console::change_password(edit, &known, hash).await?;
        let message = "Password changed; your other sessions have ended.";
        Ok(changed.map(|_| Message::new(message)))
    });
    let reply = run.await?;
    forgive(&app, attempt).await?;
    Ok(reply)
}

/// Takes back an attempt that was right.
async fn forgive(app: &App, attempt: Option<Claimed>) -> Result<()> {
    match attempt {
        Some(claimed) => limits::forgive(app, claimed).await,
        None => Ok(()),
    }
}

async fn begin_two_factor(writer: Writer<Signed>) -> Result<Created<TwoFactorBegun>> {
    let run = writer.run(async |edit, _| {
        let user_id = operator_id(edit.actor())?;
        let operator = two_factor::own(edit, user_id).await?;
        let begun = two_factor::begin(edit, operator).await?;
        Ok(begun.map(|begun| TwoFactorBegun {
            message: "Add this to your authenticator app, then confirm with a code of it.",
            secret: begun.secret,
            uri: begun.uri,
        }))
    });
    run.await
}

async fn confirm_two_factor(
    writer: Writer<Signed, TwoFactorCode>,
) -> Result<Done<TwoFactorConfirmed>> {
    let run = writer.run(async |edit, body| {
        let user_id = operator_id(edit.actor())?;
        let operator = two_factor::own(edit, user_id).await?;
        let TwoFactorCode { code } = body.valid()?;
        let confirmed = two_factor::confirm(edit, operator, code.as_str()).await?;
        Ok(confirmed.map(|recovery_codes| TwoFactorConfirmed {
            message: "Two-factor authentication is on. Keep the recovery codes in a safe place.",
            recovery_codes,
        }))
    });
    run.await
}

async fn remove_two_factor(
    State(app): State<App>,
    writer: Writer<Signed, TwoFactorRemoval>,
) -> Result<Done<Message>> {
    let actor = writer.actor().clone();
    let mut attempt = None;
    let preparing = writer.prepare(async |removal| {
        let TwoFactorRemoval { password, code } = removal;
        let (_, claimed) = check_own(&app, &actor, &password).await?;
        attempt = Some(claimed);
        Ok(code)
    });
    let run = preparing.await.run(async |edit, body| {
        let user_id = operator_id(edit.actor())?;
        let operator = two_factor::own(edit, user_id).await?;
        let code = body.valid()?;
        let removed = two_factor::remove(edit, operator, code.as_str()).await?;
        Ok(removed.map(|_| Message::new("Two-factor authentication is off.")))
    });
    let reply = run.await?;
    forgive(&app, attempt).await?;
    Ok(reply)
}

const REFUSED: &str =
    "The user is blocked or not an operator, or the request comes from another site.";
const TOO_MANY: &str = "There were too many attempts within a minute: five for this login from one network, \
                        50 from one network, or 100 for this login.";
const TWO_FACTOR: &str = "There is a second factor already, or there is none; or the request was carried \
                          out before, under this `Idempotency-Key`, in another session.";
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

pub fn routes() -> ApiRouter<App> {
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
            "/api/console/password",
            put_with(
                set_password,
                attempting("setOwnPassword", "Change your own password", NO_PASSWORD),
            ),
        )
        .api_route(
            "/api/console/two-factor",
            post_with(
                begin_two_factor,
                named_failing(
                    "beginTwoFactor",
                    "Begin to set up a second factor",
                    409,
                    TWO_FACTOR,
                ),
            )
            .put_with(
                confirm_two_factor,
                named_failing(
                    "confirmTwoFactor",
                    "Confirm a second factor",
                    409,
                    TWO_FACTOR,
                ),
            )
            .delete_with(remove_two_factor, |operation| {
                let named = attempting("removeTwoFactor", "Remove a second factor", NO_PASSWORD);
                failing(named(operation), 409, TWO_FACTOR)
            }),
        )
        .api_route(
            "/api/console/setup",
            post_with(set_up, |operation| {
                let operation = named("setUp", "Create the first operator")(operation);
                let operation = failing(operation, 403, "The request comes from another site.");
                failing(operation, 409, "There is an operator already.")
            }),
        )
        .with_path_items(|item| item.tag("Console"))
}
