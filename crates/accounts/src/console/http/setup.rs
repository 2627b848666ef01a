//! Becoming an operator by a setup token.

use axum::extract::State;
use serde::Serialize;

use super::invitations::InvitationActor;
use super::{ConsoleSession, begun, visit};
use crate::console::{self, ConsoleSetup, Purpose, SetupToken};
use crate::sessions;
use kernel::Result;
use kernel::auth::permission::Permission;
use kernel::http::reply::{Created, Done};
use kernel::http::routing::{ApiRouter, failing, get_with, named, post_with};
use kernel::http::visitor::{Anyone, Visitor, WithCookies};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;

async fn set_up(
    State(state): State<sessions::State>,
    visitor: Visitor<ConsoleSetup>,
) -> Result<WithCookies<Created<ConsoleSession>>> {
    let Visitor {
        actor,
        browser,
        body,
    } = visitor;
    let visit = visit(&actor, &browser);
    let signed_in = console::set_up(&state, actor, &visit, body.valid()?).await?;
    begun(&state, &browser, signed_in).await
}

#[derive(Serialize, JsonSchema)]
struct SetupState {
    /// Whether there is no operator yet.
    needed: bool,
}

async fn setup_state(State(state): State<sessions::State>, _: Anyone) -> Result<Done<SetupState>> {
    let mut read = state.kernel.core.db.read().await?;
    let needed = console::is_needed(&mut read).await?;
    Done::new(&SetupState { needed })
}

/// The purpose of a setup token.
#[derive(Clone, Copy, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum SetupPurpose {
    FirstOperator,
    Invitation,
}

/// A valid setup token.
#[derive(Serialize, JsonSchema)]
struct ValidSetupToken {
    /// Always true: another token is an error.
    valid: bool,
    purpose: SetupPurpose,
    /// The permissions that the operator will have.
    permissions: Vec<&'static Permission>,
    expires_at: Timestamp,
    /// Only of an invitation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "InvitationActor", default)]
    invited_by: Option<InvitationActor>,
}

impl From<Purpose> for ValidSetupToken {
    fn from(found: Purpose) -> Self {
        let permissions = found.permissions().list();
        let (purpose, expires_at, invited_by) = match found {
            Purpose::FirstOperator { expires_at } => {
                (SetupPurpose::FirstOperator, expires_at, None)
            }
            Purpose::Invitation(invitation) => (
                SetupPurpose::Invitation,
                invitation.expires_at,
                Some(invitation.invited_by().into()),
            ),
        };
        Self {
            valid: true,
            purpose,
            permissions,
            expires_at,
            invited_by,
        }
    }
}

async fn check_setup_token(
    State(state): State<sessions::State>,
    visitor: Visitor<SetupToken>,
) -> Result<Done<ValidSetupToken>> {
    let SetupToken { token } = visitor.body.valid()?;
    let found = console::check_token(&state, visitor.actor.ip, token.as_str()).await?;
    Done::new(&found.into())
}

const FOREIGN: &str = "The request comes from another site.";
const WRONG_TOKENS: &str = "There were too many wrong tokens or keys from one network.";

pub fn routes() -> ApiRouter<sessions::State> {
    ApiRouter::new()
        .api_route(
            "/api/console/setup",
            get_with(
                setup_state,
                named(
                    "getSetupState",
                    "Show whether the first operator is missing",
                ),
            )
            .post_with(set_up, |operation| {
                let named = named("setUp", "Create the first operator or one who was invited");
                let operation = failing(named(operation), 403, FOREIGN);
                let operation = failing(operation, 409, "There is an operator already.");
                failing(operation, 429, WRONG_TOKENS)
            }),
        )
        .api_route(
            "/api/console/setup/check",
            post_with(check_setup_token, |operation| {
                let named = named("checkSetupToken", "Show what a setup token is for");
                failing(failing(named(operation), 403, FOREIGN), 429, WRONG_TOKENS)
            }),
        )
        .with_path_items(|item| item.tag("Console"))
}
