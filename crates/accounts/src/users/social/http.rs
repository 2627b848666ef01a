use serde::Serialize;

use super::{NewSocialLink, SocialLink};
use crate::users::{self, social};
use kernel::Result;
use kernel::auth::permission::{Users, UsersRead};
use kernel::http::paging::ListHeaders;
use kernel::http::path::{Id, LinkId, UserId};
use kernel::http::reply::{Created, Done, List, Message};
use kernel::http::routing::{ApiRouter, delete_with, get_with, named};
use kernel::http::{Caller, Writer};
use kernel::schema::JsonSchema;

#[derive(Clone, Serialize, JsonSchema)]
pub struct SocialLinkItem {
    /// The id of the link.
    id: i64,
    /// The name of the network.
    network: String,
    profile_url: String,
}

impl From<SocialLink> for SocialLinkItem {
    fn from(link: SocialLink) -> Self {
        Self {
            id: link.id,
            network: link.network,
            profile_url: link.profile_url,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct SocialLinkList {
    social_networks: Vec<SocialLinkItem>,
}

#[derive(Serialize, JsonSchema)]
struct SocialLinkReply {
    message: &'static str,
    social_network: SocialLinkItem,
}

async fn list(caller: Caller<UsersRead>, id: Id) -> Result<List<SocialLinkList>> {
    let mut read = caller.read_alone().await?;
    users::require(&mut read, id.0).await?;
    let found = social::list(&mut read, id.0).await?;
    let headers = ListHeaders::whole(found.len());
    let social_networks = found.into_iter().map(SocialLinkItem::from).collect();
    List::new(headers, &SocialLinkList { social_networks })
}

async fn add(id: Id, writer: Writer<Users, NewSocialLink>) -> Result<Created<SocialLinkReply>> {
    let explained = writer.explain(async |conn, new| social::check_new(conn, id.0, new).await);
    let run = explained.run(async |edit, body| {
        let user = users::target(edit, id.0).await?;
        let added = social::add(edit, user, body.valid()?).await?;
        Ok(added.map(|link| SocialLinkReply {
            message: "Social network added.",
            social_network: link.into(),
        }))
    });
    run.await
}

async fn delete(id: UserId, link: LinkId, writer: Writer<Users>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let user = users::target(edit, id.0).await?;
        let deleted = social::delete(edit, user, link.0).await?;
        Ok(deleted.map(|_| Message::new("Social network removed.")))
    });
    run.await
}

pub fn routes() -> ApiRouter<users::State> {
    ApiRouter::new()
        .api_route(
            "/api/users/{id}/social-networks",
            get_with(
                list,
                named("listUserSocialNetworks", "List the profiles of a user"),
            )
            .post_with(
                add,
                named("addUserSocialNetwork", "Link to a profile of a user"),
            ),
        )
        .api_route(
            "/api/users/{userId}/social-networks/{networkId}",
            delete_with(
                delete,
                named("deleteUserSocialNetwork", "Remove a link to a profile"),
            ),
        )
}
