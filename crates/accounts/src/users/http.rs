//! Operations of a single user, and the routes of all features.

use axum::extract::{FromRef, State};
use serde::Serialize;

use super::body::UserItem;
use super::included::ShownInclude;
use super::included::http::{HeldRoleItem, SingleUser, role_items};
use super::input::{NewUser, UserChanges, UserRoles};
use super::{
    User, blocks, bulk, devices, erasure, held_roles, identities, listing, lookup, search, social,
};
use crate::{operators, users};
use kernel::auth::permission::{ApiKeysRead, Right, Users, UsersRead};
use kernel::http::path::Id;
use kernel::http::query::Query;
use kernel::http::reply::{Created, Done, Message, Single};
use kernel::http::routing::{ApiRouter, get_with, named, named_failing, post_with, put_with};
use kernel::http::{Caller, Writer};
use kernel::input::Patch;
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::etag;
use kernel::{Kernel, Result, input};

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
            roles: role_items(user.roles, false),
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

input! {
    /// Optional parts of a user to show.
    struct ShownUserQuery {
        /// Additional parts to show: `roles`, `social`, `block` and `operator`, separated by commas.
        /// Roles are always shown; `roles` adds their ends. `operator` needs `admin.api-keys.read` as well.
        include: Option<ShownInclude>,
    }
}

async fn get(
    caller: Caller<UsersRead>,
    id: Id,
    Query(query): Query<ShownUserQuery>,
) -> Result<Single<SingleUser>> {
    let ShownInclude { parts, operator } = query.include.unwrap_or_default();
    if operator {
        ApiKeysRead::check(caller.actor().permissions)?;
    }
    let mut read = caller.read().await?;
    let now = caller.now();
    let user = users::get(&mut read, now, id.0).await?;
    let tag = etag::of(&user);
    let mut body = SingleUser::read(&mut read, now, Some(parts), user).await?;
    if operator {
        body.user.operator = Some(operators::find(&mut read, id.0).await?.is_some());
    }
    caller.single_with_others(&tag, &body)
}

async fn create(
    State(state): State<users::State>,
    writer: Writer<Users, NewUser>,
) -> Result<Created<UserCreatedReply>> {
    let explained = writer.explain(users::check_new);
    let hashing = explained.prepare(async |new| {
        let hash = state.passwords.hash(&new.password).await?;
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
    State(state): State<users::State>,
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
        users::require(&mut *state.kernel.core.db.read().await?, id.0).await?;
        let hash = state.passwords.hash(password).await?;
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

async fn set_roles(id: Id, writer: Writer<Users, UserRoles>) -> Result<Done<UserRolesReply>> {
    let explained = writer.explain(users::check_roles);
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

/// Lets the extractors of the kernel take their state from that of the slice.
impl FromRef<users::State> for Kernel {
    fn from_ref(state: &users::State) -> Self {
        state.kernel.clone()
    }
}

pub fn routes() -> ApiRouter<users::State> {
    ApiRouter::new()
        .api_route(
            "/api/users",
            post_with(create, named("createUser", "Create a user")),
        )
        .merge(search::http::routes())
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
            "/api/users/{id}/roles",
            put_with(
                set_roles,
                named("setUserRoles", "Replace the roles of a user"),
            ),
        )
        .merge(erasure::http::routes())
        .merge(blocks::http::routes())
        .merge(bulk::http::routes())
        .merge(held_roles::http::routes())
        .merge(identities::http::routes())
        .merge(listing::http::routes())
        .merge(lookup::http::routes())
        .merge(social::http::routes())
        .merge(devices::http::routes())
        .with_path_items(|item| item.tag("Users"))
}
