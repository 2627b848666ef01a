use std::convert::Infallible;

use axum::extract::{self, FromRef, FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use serde::Serialize;

use super::provider::NOT_CONFIGURED;
use super::{FinishSignIn, Finished, StartSignIn, State};
use crate::sessions::{self, Attempted, ClientIp, Session};
use crate::sign_in;
use crate::users::body::{DeviceItem, UserItem};
use crate::users::identities::{self, Provider};
use kernel::auth::permission::Sessions;
use kernel::http::body::Body;
use kernel::http::reply::{Acted, Created};
use kernel::http::routing::{ApiRouter, TransformOperation, failing, named, post_with};
use kernel::http::{Caller, Writer};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::{Kernel, Result};

/// The `{provider}` of the path. One that is unknown gives 404, and only after the caller was
/// authenticated.
struct ProviderName(Option<Provider>);

impl<S: Send + Sync> FromRequestParts<S> for ProviderName {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let params = RawPathParams::from_request_parts(parts, state).await.ok();
        let mut params = params.iter().flatten();
        let name = params.find_map(|(name, value)| (name == "provider").then_some(value));
        Ok(Self(name.and_then(Provider::by_name)))
    }
}

impl ProviderName {
    /// The provider, if it is configured.
    fn configured(&self, state: &State) -> Result<Provider> {
        let settings = state.providers.settings();
        let provider = self.0.filter(|provider| settings.has(*provider));
        provider.ok_or(NOT_CONFIGURED)
    }
}

#[cfg(feature = "openapi")]
mod description {
    use aide::OperationInput;
    use aide::generate::GenContext;
    use aide::openapi::{Operation, Response};
    use kernel::http::openapi;
    use serde_json::json;

    use super::ProviderName;

    impl OperationInput for ProviderName {
        fn operation_input(_: &mut GenContext, operation: &mut Operation) {
            let schema = json!({ "type": "string", "enum": ["steam", "discord"] });
            let description = "Who verifies the profile. One that is not configured is 404.";
            openapi::add_parameter(operation, "path", "provider", description, schema);
        }

        fn inferred_early_responses(
            ctx: &mut GenContext,
            _: &mut Operation,
        ) -> Vec<(Option<u16>, Response)> {
            vec![openapi::no_such_resource(ctx)]
        }
    }
}

/// A sign-in that was begun.
#[derive(Serialize, JsonSchema)]
struct BegunSignIn {
    /// Where to send the visitor.
    url: String,
    /// What the browser must keep, in a cookie with `HttpOnly` and `SameSite=Lax`. No other reply
    /// shows it.
    browser_token: String,
    /// When the sign-in expires.
    expires_at: Timestamp,
}

#[derive(Serialize, JsonSchema)]
struct FinishedSignIn {
    message: &'static str,
    /// The token of the session. No other reply shows it. Absent if a profile was linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "String", default)]
    session_token: Option<String>,
    /// Absent if a profile was linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "DeviceItem", default)]
    device: Option<DeviceItem>,
    user: UserItem,
    /// Whether the user is new. Absent if a profile was linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "bool", default)]
    created: Option<bool>,
}

impl From<Finished> for FinishedSignIn {
    fn from(finished: Finished) -> Self {
        match finished {
            Finished::SignedIn { session, created } => Self {
                message: "Signed in.",
                session_token: Some(session.token.reveal().to_owned()),
                device: Some(session.device.into()),
                user: session.user.into(),
                created: Some(created),
            },
            Finished::Linked(user) => Self {
                message: "Profile linked.",
                session_token: None,
                device: None,
                user: user.into(),
                created: None,
            },
        }
    }
}

async fn start(
    extract::State(state): extract::State<State>,
    provider: ProviderName,
    caller: Caller<Sessions>,
    body: Body<StartSignIn>,
) -> Result<Created<BegunSignIn>> {
    caller.confirm().await?;
    let provider = provider.configured(&state)?;
    let begun = sign_in::start(&state, provider, caller.actor(), body.valid()?).await?;
    Created::new(&BegunSignIn {
        url: begun.url.into(),
        browser_token: begun.browser_token.reveal().clone(),
        expires_at: begun.expires_at,
    })
}

async fn finish(
    extract::State(state): extract::State<State>,
    provider: ProviderName,
    writer: Writer<Sessions, FinishSignIn>,
) -> Result<Acted<FinishedSignIn>> {
    let actor = writer.actor().clone();
    let configured = provider.configured(&state);
    let mut attempted = None;
    let mut subject = None;
    let verifying = writer.prepare(async |finish| {
        let provider = provider.configured(&state)?;
        attempted = Some(Attempted {
            user_id: None,
            client_ip: finish.client_ip.map(|ClientIp(ip)| ip),
            provider: Some(provider),
        });
        let verified = sign_in::verify(&state, provider, &actor, &finish).await?;
        subject = Some((provider, verified.subject().to_owned()));
        Ok((finish, verified))
    });
    let run = verifying.await.run(async |edit, body| {
        let provider = configured?;
        let (finish, verified) = body.valid()?;
        let finished = sign_in::finish(edit, provider, finish, verified).await?;
        Ok(finished.map(FinishedSignIn::from))
    });
    let outcome = run.await;
    if let (Err(error), Some(mut attempted)) = (&outcome, attempted) {
        if let Some((provider, subject)) = &subject {
            let mut read = state.kernel().core.db.read().await?;
            let known = identities::find(&mut read, *provider, subject).await?;
            attempted.user_id = known.map(|known| known.user_id);
        }
        sessions::record_failure::<Session>(&state.sessions, actor, attempted, error).await;
    }
    outcome.map(Acted)
}

/// Lets the extractors of the kernel take their state from that of the slice.
impl FromRef<State> for Kernel {
    fn from_ref(state: &State) -> Self {
        state.kernel().clone()
    }
}

const TOO_MANY: &str = "30 sign-ins were begun from this network within a minute.";
const BLOCKED: &str = "The key lacks the permission, or the user is blocked; then `reason` and \
                       `until` say why, and until when.";
const TAKEN: &str = "Another user signs in with this profile: `identity_taken`. Or the request was \
                     carried out before, under this `Idempotency-Key`, and its reply cannot be read \
                     with the key's new value.";

fn described_start(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let named = named("startSignIn", "Begin to sign in with Steam or Discord");
    failing(failing(named(operation), 403, BLOCKED), 429, TOO_MANY)
}

fn described_finish(operation: TransformOperation<'_>) -> TransformOperation<'_> {
    let named = named(
        "finishSignIn",
        "Sign in with the answer of Steam or Discord",
    );
    failing(failing(named(operation), 403, BLOCKED), 409, TAKEN)
}

pub fn routes() -> ApiRouter<State> {
    ApiRouter::new()
        .api_route(
            "/api/sign-in/{provider}/start",
            post_with(start, described_start),
        )
        .api_route(
            "/api/sign-in/{provider}/finish",
            post_with(finish, described_finish),
        )
        .with_path_items(|item| item.tag("Sessions"))
}
