//! Operations of roles.

use std::collections::HashMap;

use db::Conn;
use serde::Serialize;

use super::{Color, Include, NewRole, Role, RoleChanges, RolePermissions};
use crate::roles;
use kernel::auth::permission::{Permission, Roles, RolesRead};
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::query::Query;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::routing::{ApiRouter, get_with, named, put_with};
use kernel::http::{Caller, Writer};
use kernel::list::{ListQuery, ListSpec};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::etag;
use kernel::{Kernel, Result, input};

input! {
    /// Optional fields of a role to show.
    struct RoleQuery {
        /// Additional fields to show: `color` and `members`, separated by commas.
        include: Option<Include>,
    }
}

impl ListQuery for RoleQuery {
    const LIST: &'static ListSpec = &ListSpec::SHORT;
}

#[derive(Serialize, JsonSchema)]
struct RoleItem {
    id: i64,
    name: String,
    description: String,
}

impl From<Role> for RoleItem {
    fn from(role: Role) -> Self {
        Self {
            id: role.id,
            name: role.name,
            description: role.description,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct RoleDetail {
    id: i64,
    name: String,
    description: String,
    permissions: Vec<&'static Permission>,
}

impl From<Role> for RoleDetail {
    fn from(role: Role) -> Self {
        Self {
            id: role.id,
            permissions: role.permissions.list(),
            name: role.name,
            description: role.description,
        }
    }
}

/// The requested fields of roles.
#[derive(Default)]
struct Included {
    color: bool,
    /// By role id. A role without an entry has no members.
    members: Option<HashMap<i64, i64>>,
}

impl Included {
    async fn read(
        conn: &mut Conn,
        now: Timestamp,
        include: Option<Include>,
        ids: &[i64],
    ) -> Result<Self> {
        let include = include.unwrap_or_default();
        Ok(Self {
            color: include.color,
            members: match include.members {
                true => Some(roles::members(conn, now, ids).await?),
                false => None,
            },
        })
    }

    fn color_of(&self, role: &Role) -> Option<Color> {
        self.color.then(|| role.color.clone())
    }

    fn members_of(&self, role: &Role) -> Option<i64> {
        let members = self.members.as_ref()?;
        Some(members.get(&role.id).copied().unwrap_or_default())
    }
}

#[derive(Serialize, JsonSchema)]
struct ListedRole {
    id: i64,
    name: String,
    description: String,
    /// Only with `include=color`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Color", default)]
    color: Option<Color>,
    /// How many users hold the role. Only with `include=members`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64", default)]
    members: Option<i64>,
}

impl ListedRole {
    fn new(role: Role, included: &Included) -> Self {
        Self {
            color: included.color_of(&role),
            members: included.members_of(&role),
            id: role.id,
            name: role.name,
            description: role.description,
        }
    }
}

/// A role with its permissions.
#[derive(Serialize, JsonSchema)]
struct ShownRole {
    id: i64,
    name: String,
    description: String,
    permissions: Vec<&'static Permission>,
    /// Only with `include=color`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Color", default)]
    color: Option<Color>,
    /// How many users hold the role. Only with `include=members`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64", default)]
    members: Option<i64>,
}

impl ShownRole {
    fn new(role: Role, included: &Included) -> Self {
        Self {
            color: included.color_of(&role),
            members: included.members_of(&role),
            id: role.id,
            permissions: role.permissions.list(),
            name: role.name,
            description: role.description,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct RoleList {
    roles: Vec<ListedRole>,
}

#[derive(Serialize, JsonSchema)]
struct SingleRole {
    role: ShownRole,
}

#[derive(Serialize, JsonSchema)]
struct RoleReply {
    message: &'static str,
    role: RoleItem,
}

#[derive(Serialize, JsonSchema)]
struct RoleDetailReply {
    message: &'static str,
    role: RoleDetail,
}

async fn list(
    caller: Caller<RolesRead>,
    request: ListRequest<RoleQuery>,
) -> Result<List<RoleList>> {
    let mut read = caller.read_alone().await?;
    let total = roles::count(&mut read).await?;
    let mut found = roles::list(&mut read, request.window()).await?;
    let headers = request.headers(total, &mut found, |role| role.id);
    let ids: Vec<i64> = found.iter().map(|role| role.id).collect();
    let included = Included::read(&mut read, caller.now(), request.filters.include, &ids).await?;
    let roles = found.into_iter();
    let roles = roles.map(|role| ListedRole::new(role, &included)).collect();
    List::new(headers, &RoleList { roles })
}

async fn get(
    caller: Caller<RolesRead>,
    id: Id,
    Query(query): Query<RoleQuery>,
) -> Result<Single<SingleRole>> {
    let mut read = caller.read().await?;
    let role = roles::get(&mut read, id.0).await?;
    let included = Included::read(&mut read, caller.now(), query.include, &[id.0]).await?;
    let tag = etag::of(&role);
    let role = ShownRole::new(role, &included);
    match query.include {
        Some(_) => caller.single_with_others(&tag, &SingleRole { role }),
        None => caller.single(tag, &SingleRole { role }),
    }
}

async fn create(writer: Writer<Roles, NewRole>) -> Result<Created<RoleReply>> {
    let run = writer.run(async |edit, body| {
        let created = roles::create(edit, body.valid()?).await?;
        Ok(created.map(|role| RoleReply {
            message: "Role created.",
            role: role.into(),
        }))
    });
    run.await
}

async fn update(id: Id, writer: Writer<Roles, RoleChanges>) -> Result<Done<RoleReply>> {
    let run = writer.run(async |edit, body| {
        let role = roles::target(edit, id.0).await?;
        let updated = roles::update(edit, role, body.valid()?).await?;
        Ok(updated.map(|role| RoleReply {
            message: "Role updated.",
            role: role.into(),
        }))
    });
    run.await
}

async fn delete(id: Id, writer: Writer<Roles>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let role = roles::target(edit, id.0).await?;
        let deleted = roles::delete(edit, role).await?;
        Ok(deleted.map(|_| Message::new("Role deleted.")))
    });
    run.await
}

async fn set_permissions(
    id: Id,
    writer: Writer<Roles, RolePermissions>,
) -> Result<Done<RoleDetailReply>> {
    let run = writer.run(async |edit, body| {
        let role = roles::target(edit, id.0).await?;
        let RolePermissions { permission_ids } = body.valid()?;
        let updated = roles::set_permissions(edit, role, permission_ids).await?;
        Ok(updated.map(|role| RoleDetailReply {
            message: "Role permissions updated.",
            role: role.into(),
        }))
    });
    run.await
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/roles",
            get_with(list, named("listRoles", "List roles"))
                .post_with(create, named("createRole", "Create a role")),
        )
        .api_route(
            "/api/roles/{id}",
            get_with(get, named("getRole", "Show a role and its permissions"))
                .put_with(update, named("updateRole", "Change a role"))
                .delete_with(delete, named("deleteRole", "Delete a role")),
        )
        .api_route(
            "/api/roles/{id}/permissions",
            put_with(
                set_permissions,
                named("setRolePermissions", "Replace the permissions of a role"),
            ),
        )
        .with_path_items(|item| item.tag("Roles"))
}
