//! Finds users by their profiles on social networks, which game servers and bots know.

use std::collections::HashMap;
use std::convert::Infallible;

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use serde::Serialize;

use super::{ProfileValues, UserLookup};
use crate::social_networks;
use crate::users::included;
use crate::users::included::http::{SingleUser, UserDetail, UserQuery};
use crate::users::{self, User, lookup};
use kernel::auth::permission::UsersRead;
use kernel::http::Caller;
use kernel::http::body::Body;
use kernel::http::query::Query;
use kernel::http::reply::{Done, Single};
use kernel::http::routing::{ApiRouter, get_with, named, post_with};
use kernel::schema::JsonSchema;
use kernel::write::{Resource, etag};
use kernel::{Error, Result};

/// The `{network}` and the `{value}` of the path. A malformed text is read as empty, which finds
/// nothing: the reply is 404, and only after the caller was authenticated.
#[derive(Default)]
struct Profile {
    network: String,
    value: String,
}

impl<S: Send + Sync> FromRequestParts<S> for Profile {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let mut profile = Self::default();
        let params = RawPathParams::from_request_parts(parts, state).await.ok();
        for (name, text) in params.iter().flatten() {
            let text = match text.contains('\0') {
                true => String::new(),
                false => text.to_owned(),
            };
            match name {
                "network" => profile.network = text,
                _ => profile.value = text,
            }
        }
        Ok(profile)
    }
}

#[cfg(feature = "openapi")]
mod description {
    use aide::OperationInput;
    use aide::generate::GenContext;
    use aide::openapi::{Operation, Response};
    use kernel::http::openapi;
    use serde_json::json;

    use super::Profile;

    impl OperationInput for Profile {
        fn operation_input(_: &mut GenContext, operation: &mut Operation) {
            let parameters = [
                ("network", "The name of a social network, or its id."),
                (
                    "value",
                    "The profile as it is linked. On `steam`, a SteamID in any of its forms: \
                     `76561197969249708`, `STEAM_1:0:4491990` or `[U:1:8983980]`, or the address \
                     of its profile. On `discord`, an id or the address of a user.",
                ),
            ];
            for (name, description) in parameters {
                let schema = json!({ "type": "string", "minLength": 1 });
                openapi::add_parameter(operation, "path", name, description, schema);
            }
        }

        fn inferred_early_responses(
            ctx: &mut GenContext,
            _: &mut Operation,
        ) -> Vec<(Option<u16>, Response)> {
            vec![openapi::no_such_resource(ctx)]
        }
    }
}

/// A value of the request, and the user with this profile.
#[derive(Serialize, JsonSchema)]
struct FoundUser {
    value: String,
    /// Null if no user has linked the profile.
    user: Option<UserDetail>,
}

#[derive(Serialize, JsonSchema)]
struct LookupReply {
    /// One for each value, in the same order.
    users: Vec<FoundUser>,
}

async fn by_profile(
    caller: Caller<UsersRead>,
    profile: Profile,
    Query(query): Query<UserQuery>,
) -> Result<Single<SingleUser>> {
    let mut read = caller.read().await?;
    let network = social_networks::named(&mut read, &profile.network).await?;
    let network = network.ok_or(Error::NotFound(User::SINGULAR))?;
    let now = caller.now();
    let user = lookup::user(&mut read, now, &network, profile.value).await?;
    let tag = etag::of(&user);
    let body = SingleUser::read(&mut read, now, query.include, user).await?;
    caller.single_with_others(&tag, &body)
}

async fn look_up(
    caller: Caller<UsersRead>,
    Query(query): Query<UserQuery>,
    body: Body<UserLookup>,
) -> Result<Done<LookupReply>> {
    caller.confirm().await?;
    let now = caller.now();
    let explained = body.valid_or_explained(caller.kernel(), async |conn, wanted| {
        lookup::check(conn, wanted).await
    });
    let UserLookup {
        network,
        values: ProfileValues(values),
    } = explained.await?;
    let mut read = caller.read_alone().await?;
    let network = lookup::network(&mut read, &network).await?;
    let ids = lookup::user_ids(&mut read, &network, &values).await?;
    let mut distinct: Vec<i64> = ids.iter().copied().flatten().collect();
    distinct.sort_unstable();
    distinct.dedup();
    let users = lookup::users(&mut read, now, &distinct).await?;
    let include = query.include.unwrap_or_default();
    let mut included = included::read(&mut read, now, include.besides_roles(), &distinct).await?;
    let detail = |user: User| (user.id, UserDetail::new(user, include.roles, &mut included));
    let details = users.into_iter().map(detail);
    let details: HashMap<i64, UserDetail> = details.collect();
    let users = values.into_iter().zip(ids).map(|(value, id)| FoundUser {
        value,
        user: id.and_then(|id| details.get(&id).cloned()),
    });
    Done::new(&LookupReply {
        users: users.collect(),
    })
}

pub fn routes() -> ApiRouter<users::State> {
    ApiRouter::new()
        .api_route(
            "/api/users/by-social/{network}/{value}",
            get_with(
                by_profile,
                named("getUserBySocial", "Show the user who has linked a profile"),
            ),
        )
        .api_route(
            "/api/users/lookup",
            post_with(
                look_up,
                named(
                    "lookUpUsers",
                    "Find the users who have linked these profiles",
                ),
            ),
        )
}
