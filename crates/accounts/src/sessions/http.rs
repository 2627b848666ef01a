use axum::extract::{FromRef, State};
use serde::Serialize;

use super::{Session, SessionToken, SignIn, SignedIn};
use crate::sessions;
use crate::users::body::{DeviceItem, IncludeRoles, UserItem, VerifiedUser};
use kernel::auth::permission::Sessions;
use kernel::http::body::Body;
use kernel::http::query::Query;
use kernel::http::reply::{Created, Done, Message};
use kernel::http::routing::{ApiRouter, SECRET_REPLY, failing, named, post_with};
use kernel::http::{Caller, Writer};
use kernel::schema::JsonSchema;
use kernel::{Kernel, Result, input};

#[derive(Serialize, JsonSchema)]
struct SignedInReply {
    message: &'static str,
    /// The token of the session. No other reply shows it.
    session_token: String,
    device: DeviceItem,
    user: UserItem,
}

impl From<SignedIn> for SignedInReply {
    fn from(signed_in: SignedIn) -> Self {
        Self {
            message: "Signed in.",
            session_token: signed_in.token.reveal().to_owned(),
            device: signed_in.device.into(),
            user: signed_in.user.into(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct VerifiedSession {
    device: DeviceItem,
    user: VerifiedUser,
}

input! {
    /// Optional parts of the user of a session.
    struct VerifyQuery {
        /// `roles` adds the roles that the user holds.
        include: Option<IncludeRoles>,
    }
}

async fn create(
    State(state): State<sessions::State>,
    writer: Writer<Sessions, SignIn>,
) -> Result<Created<SignedInReply>> {
    let actor = writer.actor().clone();
    let mut attempted = None;
    let attempting = writer.prepare(async |sign_in| {
        let (attempt, about) = sessions::attempt(&state, actor.ip, &sign_in).await?;
        attempted = Some(about);
        Ok((sign_in, attempt))
    });
    let run = attempting.await.run(async |edit, body| {
        let (sign_in, attempt) = body.valid()?;
        let created = sessions::create(edit, sign_in, attempt).await?;
        Ok(created.map(SignedInReply::from))
    });
    let outcome = run.await;
    if let (Err(error), Some(attempted)) = (&outcome, attempted) {
        sessions::record_failure::<Session>(&state, actor, attempted, error).await;
    }
    outcome
}

async fn verify(
    State(state): State<sessions::State>,
    caller: Caller<Sessions>,
    Query(query): Query<VerifyQuery>,
    body: Body<SessionToken>,
) -> Result<Done<VerifiedSession>> {
    caller.confirm().await?;
    let SessionToken { token } = body.valid()?;
    let (user, device) = sessions::verify(&state, &token).await?;
    Done::new(&VerifiedSession {
        device: device.into(),
        user: VerifiedUser::new(user, query.include.is_some()),
    })
}

async fn delete(
    State(state): State<sessions::State>,
    writer: Writer<Sessions, SessionToken>,
) -> Result<Done<Message>> {
    let run = writer.run(async |edit, body| {
        let SessionToken { token } = body.valid()?;
        let session = sessions::target(edit, &state, &token).await?;
        let deleted = sessions::delete(edit, session).await?;
        Ok(deleted.map(|_| Message::new("Signed out.")))
    });
    run.await
}

const BLOCKED: &str = "The key lacks the permission, or the user is blocked; then `reason` and \
                       `until` say why, and until when.";
const TOO_MANY: &str = "There were too many attempts within a minute: five for this login from one network, \
                        50 from one network, 200 from an IPv6 /48, or 100 for this login.";

/// Lets the extractors of the kernel take their state from that of the slice.
impl FromRef<sessions::State> for Kernel {
    fn from_ref(state: &sessions::State) -> Self {
        state.kernel.clone()
    }
}

pub fn routes() -> ApiRouter<sessions::State> {
    ApiRouter::new()
        .api_route(
            "/api/sessions",
            post_with(create, |operation| {
                let operation = named("createSession", "Sign a user in on a device")(operation);
                let operation = failing(operation, 409, SECRET_REPLY);
                failing(failing(operation, 403, BLOCKED), 429, TOO_MANY)
            })
            .delete_with(delete, named("deleteSession", "End a session")),
        )
        .api_route(
            "/api/sessions/verify",
            post_with(verify, |operation| {
                let operation =
                    named("verifySession", "Show the user and the device of a session")(operation);
                failing(operation, 403, BLOCKED)
            }),
        )
        .with_path_items(|item| item.tag("Sessions"))
}
