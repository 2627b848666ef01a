//! Operations of invitations.

use serde::Serialize;

use crate::console::invitations::{self, Invitation, Issued, NewOperatorInvitation};
use crate::console::setup_link;
use crate::sessions;
use kernel::Result;
use kernel::auth::permission::{ApiKeys, ApiKeysRead, Confirmed, Permission};
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::routing::{ApiRouter, SECRET_REPLY, get_with, named, named_failing};
use kernel::http::visitor::Browser;
use kernel::http::{Caller, Writer};
use kernel::list::PagingOrAll;
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::etag;
use platform::audit::events::{ActorKind, EventActor};

/// The operator or the API key that invited.
#[derive(Serialize, JsonSchema)]
pub struct InvitationActor {
    kind: ActorKind,
    /// The user id of the operator, or the id of the API key.
    id: Option<i64>,
    name: String,
}

impl From<EventActor> for InvitationActor {
    fn from(EventActor { kind, id, name }: EventActor) -> Self {
        Self { kind, id, name }
    }
}

/// A link that creates an operator.
#[derive(Serialize, JsonSchema)]
struct OperatorInvitation {
    id: i64,
    note: String,
    /// The permissions that the operator will have.
    permissions: Vec<&'static Permission>,
    created_at: Timestamp,
    expires_at: Timestamp,
    /// The invitation is void as soon as they have lost one of its permissions.
    invited_by: InvitationActor,
}

impl From<Invitation> for OperatorInvitation {
    fn from(invitation: Invitation) -> Self {
        Self {
            invited_by: invitation.invited_by().into(),
            id: invitation.id,
            note: invitation.note,
            permissions: invitation.permissions.list(),
            created_at: invitation.created_at,
            expires_at: invitation.expires_at,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct OperatorInvitationList {
    invitations: Vec<OperatorInvitation>,
}

#[derive(Serialize, JsonSchema)]
struct SingleOperatorInvitation {
    invitation: OperatorInvitation,
}

#[derive(Serialize, JsonSchema)]
struct OperatorInvitationReply {
    message: &'static str,
    /// The link for the person. It is shown only once.
    url: String,
    invitation: OperatorInvitation,
}

async fn list(
    caller: Caller<ApiKeysRead>,
    request: ListRequest<PagingOrAll>,
) -> Result<List<OperatorInvitationList>> {
    let now = caller.now();
    let mut read = caller.read_alone().await?;
    let total = invitations::count(&mut read, now).await?;
    let mut found = invitations::list(&mut read, now, request.window()).await?;
    let headers = request.headers(total, &mut found, |invitation| invitation.id);
    let invitations = found.into_iter().map(OperatorInvitation::from).collect();
    List::new(headers, &OperatorInvitationList { invitations })
}

async fn get(caller: Caller<ApiKeysRead>, id: Id) -> Result<Single<SingleOperatorInvitation>> {
    let mut read = caller.read().await?;
    let found = invitations::get(&mut read, id.0, caller.now()).await?;
    let tag = etag::of(&found);
    let invitation = found.into();
    // The entity tag does not cover the name of the inviter.
    caller.single_with_others(&tag, &SingleOperatorInvitation { invitation })
}

async fn create(
    browser: Browser,
    writer: Writer<Confirmed<ApiKeys>, NewOperatorInvitation>,
) -> Result<Created<OperatorInvitationReply>> {
    let run =
        writer.run(async |edit, body| {
            // Comes before the body is validated, since 403 comes before 422.
            invitations::lock(edit).await?;
            let created = invitations::create(edit, body.valid()?).await?;
            let origin = browser.origin.unwrap_or_default();
            Ok(created.map(|Issued { invitation, token }| OperatorInvitationReply {
            message: "Invitation created. Give the link to the person: it is not shown again.",
            url: setup_link(&origin, &token),
            invitation: invitation.into(),
        }))
        });
    run.await
}

async fn delete(id: Id, writer: Writer<Confirmed<ApiKeys>>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let invitation = invitations::target(edit, id.0).await?;
        let deleted = invitations::delete(edit, invitation).await?;
        Ok(deleted.map(|_| Message::new("Invitation withdrawn; its link is no longer valid.")))
    });
    run.await
}

pub fn routes() -> ApiRouter<sessions::State> {
    ApiRouter::new()
        .api_route(
            "/api/operators/invitations",
            get_with(
                list,
                named(
                    "listOperatorInvitations",
                    "List open invitations of operators",
                ),
            )
            .post_with(
                create,
                named_failing(
                    "inviteOperator",
                    "Invite a person to become an operator",
                    409,
                    SECRET_REPLY,
                ),
            ),
        )
        .api_route(
            "/api/operators/invitations/{id}",
            get_with(
                get,
                named("getOperatorInvitation", "Show an open invitation"),
            )
            .delete_with(
                delete,
                named("withdrawOperatorInvitation", "Withdraw an invitation"),
            ),
        )
        .with_path_items(|item| item.tag("Operators"))
}
