//! Operations of social networks.

use serde::Serialize;

use super::{NewSocialNetwork, SocialNetwork, SocialNetworkChanges};
use crate::social_networks;
use kernel::auth::permission::{Users, UsersRead};
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::routing::{ApiRouter, get_with, named, named_failing};
use kernel::http::{Caller, Writer};
use kernel::list::PagingOrAll;
use kernel::schema::JsonSchema;
use kernel::write::etag;
use kernel::{Kernel, Result};

#[derive(Serialize, JsonSchema)]
struct SocialNetworkList {
    social_networks: Vec<SocialNetwork>,
}

#[derive(Serialize, JsonSchema)]
struct SingleSocialNetwork {
    social_network: SocialNetwork,
}

#[derive(Serialize, JsonSchema)]
struct SocialNetworkReply {
    message: &'static str,
    social_network: SocialNetwork,
}

async fn list(
    caller: Caller<UsersRead>,
    request: ListRequest<PagingOrAll>,
) -> Result<List<SocialNetworkList>> {
    let mut read = caller.read_alone().await?;
    let total = social_networks::count(&mut read).await?;
    let mut social_networks = social_networks::list(&mut read, request.window()).await?;
    let headers = request.headers(total, &mut social_networks, |network| network.id);
    List::new(headers, &SocialNetworkList { social_networks })
}

async fn get(caller: Caller<UsersRead>, id: Id) -> Result<Single<SingleSocialNetwork>> {
    let mut read = caller.read().await?;
    let network = social_networks::get(&mut read, id.0).await?;
    let tag = etag::of(&network);
    let body = SingleSocialNetwork {
        social_network: network,
    };
    caller.single(tag, &body)
}

async fn create(writer: Writer<Users, NewSocialNetwork>) -> Result<Created<SocialNetworkReply>> {
    let explained = writer.explain(social_networks::check_new);
    let run = explained.run(async |edit, body| {
        let created = social_networks::create(edit, body.valid()?).await?;
        Ok(created.map(|social_network| SocialNetworkReply {
            message: "Social network created.",
            social_network,
        }))
    });
    run.await
}

async fn update(
    id: Id,
    writer: Writer<Users, SocialNetworkChanges>,
) -> Result<Done<SocialNetworkReply>> {
    let explained = writer
        .explain(async |conn, changes| social_networks::check_changes(conn, id.0, changes).await);
    let run = explained.run(async |edit, body| {
        let network = social_networks::target(edit, id.0).await?;
        let updated = social_networks::update(edit, network, body.valid()?).await?;
        Ok(updated.map(|social_network| SocialNetworkReply {
            message: "Social network updated.",
            social_network,
        }))
    });
    run.await
}

async fn delete(id: Id, writer: Writer<Users>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let network = social_networks::target(edit, id.0).await?;
        let deleted = social_networks::delete(edit, network).await?;
        Ok(deleted.map(|_| Message::new("Social network deleted.")))
    });
    run.await
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/social-networks",
            get_with(list, named("listSocialNetworks", "List social networks")).post_with(
                create,
                named("createSocialNetwork", "Create a social network"),
            ),
        )
        .api_route(
            "/api/social-networks/{id}",
            get_with(get, named("getSocialNetwork", "Show a social network"))
                .put_with(
                    update,
                    named("updateSocialNetwork", "Change a social network"),
                )
                .delete_with(
                    delete,
                    named_failing(
                        "deleteSocialNetwork",
                        "Delete a social network that no user has linked",
                        409,
                        "Users have linked profiles on the network.",
                    ),
                ),
        )
        .with_path_items(|item| item.tag("Social networks"))
}
