use serde::Serialize;

use super::{Identity, Provider};
use crate::users::{self, identities};
use kernel::Result;
use kernel::auth::permission::{Users, UsersRead};
use kernel::http::paging::ListHeaders;
use kernel::http::path::{Id, IdentityId, UserId};
use kernel::http::reply::{Done, List, Message};
use kernel::http::routing::{ApiRouter, delete_with, get_with, named, named_failing};
use kernel::http::{Caller, Writer};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;

/// A verified profile that the user signs in with.
#[derive(Serialize, JsonSchema)]
struct IdentityItem {
    id: i64,
    provider: Provider,
    /// A SteamID64, or the id of a Discord user.
    subject: String,
    linked_at: Timestamp,
    /// When the user last signed in with it; null is never.
    last_used_at: Option<Timestamp>,
}

impl From<Identity> for IdentityItem {
    fn from(identity: Identity) -> Self {
        Self {
            id: identity.id,
            provider: identity.provider,
            subject: identity.subject,
            linked_at: identity.linked_at,
            last_used_at: identity.last_used_at,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct IdentityList {
    identities: Vec<IdentityItem>,
}

async fn list(caller: Caller<UsersRead>, id: Id) -> Result<List<IdentityList>> {
    let mut read = caller.read_alone().await?;
    users::require(&mut read, id.0).await?;
    let found = identities::list(&mut read, id.0).await?;
    let headers = ListHeaders::whole(found.len());
    let identities = found.into_iter().map(IdentityItem::from).collect();
    List::new(headers, &IdentityList { identities })
}

async fn unlink(id: UserId, identity: IdentityId, writer: Writer<Users>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let user = users::target(edit, id.0).await?;
        let unlinked = identities::unlink(edit, user, identity.0).await?;
        Ok(unlinked.map(|()| Message::new("Profile unlinked; its sessions have ended.")))
    });
    run.await
}

pub fn routes() -> ApiRouter<users::State> {
    ApiRouter::new()
        .api_route(
            "/api/users/{id}/identities",
            get_with(
                list,
                named(
                    "listUserIdentities",
                    "List the verified profiles that a user signs in with",
                ),
            ),
        )
        .api_route(
            "/api/users/{userId}/identities/{identityId}",
            delete_with(
                unlink,
                named_failing(
                    "unlinkUserIdentity",
                    "Unlink a verified profile and end its sessions",
                    409,
                    "The user has no password and no other verified profile: \
                     `last_sign_in_method`.",
                ),
            ),
        )
}
