mod blocks;
mod bulk;
mod devices;
mod included;
mod listing;
mod lookup;
mod social;

use aide::axum::ApiRouter;
use aide::axum::routing::{get_with, post_with, put_with};
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use self::included::{SingleUser, UserList, UserQuery};
use super::body::UserItem;
use super::input::{NewUser, UserBlockTerms, UserChanges, UserRoles};
use super::search::{self, Search};
use super::{Block, HeldRole, User};
use crate::app::App;
use crate::users;
use kernel::Result;
use kernel::auth::permission::{Users, UsersRead};
use kernel::http::openapi::{named, named_failing};
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::query::Query;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::{Caller, Writer};
use kernel::input::Patch;
use kernel::types::Timestamp;
use kernel::write::etag;

#[derive(Serialize, JsonSchema)]
struct UpdatedUser {
    id: i64,
    username: String,
    email: String,
    created_at: Timestamp,
    updated_at: Timestamp,
    status: String,
}

impl From<User> for UpdatedUser {
    fn from(user: User) -> Self {
        Self {
            id: user.id,
            username: user.username,
            email: user.email,
            created_at: user.created_at,
            updated_at: user.updated_at,
            status: user.status,
        }
    }
}

/// The fields of a role that a user shows.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "UserRole")]
struct HeldRoleItem {
    id: i64,
    name: String,
    description: String,
}

impl From<HeldRole> for HeldRoleItem {
    fn from(role: HeldRole) -> Self {
        Self {
            id: role.id,
            name: role.name,
            description: role.description,
        }
    }
}

fn role_items(roles: Vec<HeldRole>) -> Vec<HeldRoleItem> {
    roles.into_iter().map(HeldRoleItem::from).collect()
}

#[derive(Serialize, JsonSchema)]
struct UserWithRoles {
    id: i64,
    username: String,
    email: String,
    roles: Vec<HeldRoleItem>,
}

impl From<User> for UserWithRoles {
    fn from(user: User) -> Self {
        Self {
            id: user.id,
            username: user.username,
            email: user.email,
            roles: role_items(user.roles),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct UserCreatedReply {
    message: &'static str,
    user: UserItem,
}

#[derive(Serialize, JsonSchema)]
struct UserUpdatedReply {
    message: &'static str,
    user: UpdatedUser,
}

#[derive(Serialize, JsonSchema)]
struct UserRolesReply {
    message: &'static str,
    user: UserWithRoles,
}

async fn search(
    State(app): State<App>,
    caller: Caller<UsersRead>,
    request: ListRequest<Search>,
) -> Result<List<UserList>> {
    let now = caller.now();
    let mut read = caller.read_alone().await?;
    let (q, window) = (&request.query.q, request.window());
    // The future is large, and would be copied with that of the handler.
    let searching = Box::pin(search::search(&mut read, now, q, window, &app.searches));
    let (mut found, total) = searching.await?;
    let headers = request.headers(total, &mut found, |user| user.id);
    let users = UserList::read(&mut read, now, request.query.include, found).await?;
    List::new(headers, &users)
}

async fn get(
    caller: Caller<UsersRead>,
    id: Id,
    Query(query): Query<UserQuery>,
) -> Result<Single<SingleUser>> {
    let mut read = caller.read().await?;
    let user = users::get(&mut read, caller.now(), id.0).await?;
    let tag = etag::of(&user);
    let body = SingleUser::read(&mut read, query.include, user).await?;
    caller.single_with_others(&tag, &body)
}

async fn create(
    State(app): State<App>,
    writer: Writer<Users, NewUser>,
) -> Result<Created<UserCreatedReply>> {
    let explained = writer.explain(async |conn, new| users::check_new(conn, new).await);
    let hashing = explained.prepare(async |new| {
        let hash = app.passwords.hash(&new.password).await?;
        Ok((new, hash))
    });
    let run = hashing.await.run(async |edit, body| {
        let (new, hash) = body.valid()?;
        let created = users::create(edit, new, hash).await?;
        Ok(created.map(|user| UserCreatedReply {
            message: "User created.",
            user: user.into(),
        }))
    });
    run.await
}

async fn update(
    State(app): State<App>,
    id: Id,
    writer: Writer<Users, UserChanges>,
) -> Result<Done<UserUpdatedReply>> {
    let explained =
        writer.explain(async |conn, changes| users::check_changes(conn, id.0, changes).await);
    let hashing = explained.prepare(async |changes| {
        let Patch::Set(password) = &changes.password else {
            return Ok((changes, None));
        };
        // Don't hash a password for a user who doesn't exist.
        users::require(&mut *app.db.read().await?, id.0).await?;
        let hash = app.passwords.hash(password).await?;
        Ok((changes, Some(hash)))
    });
    let run = hashing.await.run(async |edit, body| {
        let user = users::access_target(edit, id.0).await?;
        let (changes, hash) = body.valid()?;
        let updated = users::update(edit, user, changes, hash).await?;
        Ok(updated.map(|user| UserUpdatedReply {
            message: "User updated.",
            user: user.into(),
        }))
    });
    run.await
}

async fn delete(id: Id, writer: Writer<Users>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let user = users::access_target(edit, id.0).await?;
        let deleted = users::delete(edit, user).await?;
        Ok(deleted.map(|_| Message::new("User deleted; their sessions have ended.")))
    });
    run.await
}

async fn erase(State(app): State<App>, id: Id, writer: Writer<Users>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let user = users::access_target(edit, id.0).await?;
        let erased = users::erasure::erase(edit, user).await?;
        Ok(erased.map(|()| Message::new("User erased; their sessions have ended.")))
    });
    let reply = run.await?;
    users::erasure::mask_soon(&app).await;
    Ok(reply)
}

async fn block(id: Id, writer: Writer<Users, Option<UserBlockTerms>>) -> Result<Done<Message>> {
    let now = writer.now();
    let explained = writer.explain(async |_, terms| users::blocks::check_terms(now, terms));
    let run = explained.run(async |edit, body| {
        let user = users::access_target(edit, id.0).await?;
        let terms = body.valid()?.map_or_else(Block::default, Block::from);
        let blocked = users::blocks::block(edit, user, terms).await?;
        Ok(blocked.map(|_| Message::new("User blocked.")))
    });
    run.await
}

async fn unblock(id: Id, writer: Writer<Users>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let user = users::access_target(edit, id.0).await?;
        let unblocked = users::blocks::unblock(edit, user).await?;
        Ok(unblocked.map(|_| Message::new("User unblocked.")))
    });
    run.await
}

async fn set_roles(id: Id, writer: Writer<Users, UserRoles>) -> Result<Done<UserRolesReply>> {
    let explained = writer.explain(async |conn, roles| users::check_roles(conn, roles).await);
    let run = explained.run(async |edit, body| {
        let user = users::target(edit, id.0).await?;
        let UserRoles { role_ids } = body.valid()?;
        let updated = users::set_roles(edit, user, role_ids).await?;
        Ok(updated.map(|user| UserRolesReply {
            message: "User roles updated.",
            user: user.into(),
        }))
    });
    run.await
}

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new()
        .api_route(
            "/api/users",
            post_with(create, named("createUser", "Create a user")),
        )
        .api_route(
            "/api/users/search",
            get_with(
                search,
                named("searchUsers", "Find users by name or address"),
            ),
        )
        .api_route(
            "/api/users/{id}",
            get_with(get, named("getUser", "Show a user and their roles"))
                .put_with(update, named("updateUser", "Change a user"))
                .delete_with(
                    delete,
                    named_failing(
                        "deleteUser",
                        "Delete a user",
                        409,
                        "The user has invoices. Erase the user instead.",
                    ),
                ),
        )
        .api_route(
            "/api/users/{id}/erase",
            post_with(
                erase,
                named_failing(
                    "eraseUser",
                    "Erase who a user is, keeping their invoices",
                    409,
                    "The user was erased before, or is an operator.",
                ),
            ),
        )
        .api_route(
            "/api/users/{id}/block",
            post_with(block, named("blockUser", "Block a user")),
        )
        .api_route(
            "/api/users/{id}/unblock",
            post_with(unblock, named("unblockUser", "Unblock a user")),
        )
        .api_route(
            "/api/users/{id}/roles",
            put_with(
                set_roles,
                named("setUserRoles", "Replace the roles of a user"),
            ),
        )
        .merge(blocks::routes())
        .merge(bulk::routes())
        .merge(listing::routes())
        .merge(lookup::routes())
        .merge(social::routes())
        .merge(devices::routes())
        .with_path_items(|item| item.tag("Users"))
}
