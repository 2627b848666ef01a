use serde::Serialize;

use super::{UserRoleExtension, UserRoleTerms};
use crate::roles;
use crate::roles::held::{self, PastRole, UserRole};
use crate::users::{self, held_roles};
use kernel::Result;
use kernel::auth::permission::{Users, UsersRead};
use kernel::http::paging::{ListHeaders, ListRequest};
use kernel::http::path::{Id, RoleId, UserId};
use kernel::http::reply::{Done, List, Message, Put};
use kernel::http::routing::{ApiRouter, get_with, named, post_with, put_with};
use kernel::http::{Caller, Writer};
use kernel::input::{Int, Moment};
use kernel::list::Paging;
use kernel::schema::JsonSchema;
use kernel::types::{Expiry, Timestamp};

/// A role that a user holds.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "UserRoleDetail")]
struct UserRoleItem {
    /// The id of the role.
    id: i64,
    name: String,
    description: String,
    color: String,
    granted_at: Timestamp,
    /// When the role expires; null is never.
    expires_at: Option<Timestamp>,
}

impl From<UserRole> for UserRoleItem {
    fn from(role: UserRole) -> Self {
        Self {
            id: role.id,
            name: role.name,
            description: role.description,
            color: role.color.as_str().to_owned(),
            granted_at: role.granted_at,
            expires_at: role.expires_at,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct UserRoleList {
    roles: Vec<UserRoleItem>,
}

#[derive(Serialize, JsonSchema)]
struct UserRoleReply {
    message: &'static str,
    user_role: UserRoleItem,
}

/// One time that a user held a role, or holds it.
#[derive(Serialize, JsonSchema)]
struct PastUserRole {
    role_id: i64,
    /// The name of the role; of a deleted one, the name it had when it was given.
    role_name: String,
    granted_at: Timestamp,
    /// When the role expires; null is never.
    expires_at: Option<Timestamp>,
    /// When the user lost the role; null while it is held.
    ended_at: Option<Timestamp>,
    /// `removed`, `expired` or `role_deleted`; null while the role is held.
    ended_by: Option<String>,
    source: UserRoleSource,
}

/// The origin of a role.
#[derive(Serialize, JsonSchema)]
struct UserRoleSource {
    /// `api`, `grant` or `import`.
    kind: &'static str,
    /// The id of the grant; null for the others.
    id: Option<i64>,
}

impl From<PastRole> for PastUserRole {
    fn from(past: PastRole) -> Self {
        Self {
            role_id: past.role_id,
            role_name: past.role_name,
            granted_at: past.granted_at,
            expires_at: past.expires_at,
            ended_at: past.ended_at,
            ended_by: past.ended_by,
            source: UserRoleSource {
                kind: past.source.kind(),
                id: past.source.id(),
            },
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct UserRoleHistory {
    role_history: Vec<PastUserRole>,
}

async fn list(caller: Caller<UsersRead>, id: Id) -> Result<List<UserRoleList>> {
    let mut read = caller.read_alone().await?;
    users::require(&mut read, id.0).await?;
    let found = held::list(&mut read, caller.now(), id.0).await?;
    let headers = ListHeaders::whole(found.len());
    let roles = found.into_iter().map(UserRoleItem::from).collect();
    List::new(headers, &UserRoleList { roles })
}

async fn set(
    id: UserId,
    role: RoleId,
    writer: Writer<Users, Option<UserRoleTerms>>,
) -> Result<Put<UserRoleReply>> {
    let now = writer.now();
    let explained = writer.explain(async |_, terms| held_roles::check_terms(now, terms));
    let run = explained.run(async |edit, body| {
        let user = users::target(edit, id.0).await?;
        let role = roles::hold(edit, role.0).await?;
        let end = body.valid()?.and_then(|terms| terms.expires_at);
        let expiry = Expiry::at(end.map(|Moment(end)| end));
        let changed = held_roles::set(edit, user, &role, expiry).await?;
        Ok(changed.map(|role| UserRoleReply {
            message: "Role of the user set.",
            user_role: role.into(),
        }))
    });
    run.await.map(Put)
}

async fn extend(
    id: UserId,
    role: RoleId,
    writer: Writer<Users, UserRoleExtension>,
) -> Result<Put<UserRoleReply>> {
    let run = writer.run(async |edit, body| {
        let user = users::target(edit, id.0).await?;
        let role = roles::hold(edit, role.0).await?;
        let UserRoleExtension {
            seconds: Int(seconds),
        } = body.valid()?;
        let changed = held_roles::extend(edit, user, &role, seconds).await?;
        Ok(changed.map(|role| UserRoleReply {
            message: "Role of the user extended.",
            user_role: role.into(),
        }))
    });
    run.await.map(Put)
}

async fn remove(id: UserId, role: RoleId, writer: Writer<Users>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let user = users::target(edit, id.0).await?;
        let removed = held_roles::remove(edit, user, role.0).await?;
        Ok(removed.map(|()| Message::new("Role of the user removed.")))
    });
    run.await
}

async fn history(
    caller: Caller<UsersRead>,
    id: Id,
    request: ListRequest<Paging>,
) -> Result<List<UserRoleHistory>> {
    let mut read = caller.read_alone().await?;
    users::require(&mut read, id.0).await?;
    let total = held::count_history(&mut read, id.0).await?;
    let mut found = held::history(&mut read, caller.now(), id.0, request.window()).await?;
    let headers = request.headers(total, &mut found, |past| past.id);
    let role_history = found.into_iter().map(PastUserRole::from).collect();
    List::new(headers, &UserRoleHistory { role_history })
}

pub fn routes() -> ApiRouter<users::State> {
    ApiRouter::new()
        .api_route(
            "/api/users/{id}/roles",
            get_with(
                list,
                named("listUserRoles", "List the roles that a user holds"),
            ),
        )
        .api_route(
            "/api/users/{userId}/roles/{roleId}",
            put_with(
                set,
                named("setUserRole", "Give a user a role, or change its end"),
            )
            .delete_with(
                remove,
                named("removeUserRole", "Take a role away from a user"),
            ),
        )
        .api_route(
            "/api/users/{userId}/roles/{roleId}/extend",
            post_with(
                extend,
                named("extendUserRole", "Extend a role of a user, or give it"),
            ),
        )
        .api_route(
            "/api/users/{id}/role-history",
            get_with(
                history,
                named(
                    "listUserRoleHistory",
                    "List the roles that a user has held, newest first",
                ),
            ),
        )
}
