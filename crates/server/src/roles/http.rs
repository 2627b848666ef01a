//! Operations of roles.

use aide::axum::ApiRouter;
use aide::axum::routing::{get_with, put_with};
use schemars::JsonSchema;
use serde::Serialize;

use super::{NewRole, Role, RoleChanges, RolePermissions};
use crate::app::App;
use crate::roles;
use kernel::Result;
use kernel::auth::permission::{Permission, Roles, RolesRead};
use kernel::http::openapi::named;
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::{Caller, Writer};
use kernel::list::PagingOrAll;
use kernel::write::etag;

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

#[derive(Serialize, JsonSchema)]
struct RoleList {
    roles: Vec<RoleItem>,
}

#[derive(Serialize, JsonSchema)]
struct SingleRole {
    role: RoleDetail,
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
    request: ListRequest<PagingOrAll>,
) -> Result<List<RoleList>> {
    let mut read = caller.read_alone().await?;
    let total = roles::count(&mut read).await?;
    let mut found = roles::list(&mut read, request.window()).await?;
    let headers = request.headers(total, &mut found, |role| role.id);
    let roles = found.into_iter().map(RoleItem::from).collect();
    List::new(headers, &RoleList { roles })
}

async fn get(caller: Caller<RolesRead>, id: Id) -> Result<Single<SingleRole>> {
    let mut read = caller.read().await?;
    let role = roles::get(&mut read, id.0).await?;
    let tag = etag::of(&role);
    caller.single(tag, &SingleRole { role: role.into() })
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

pub fn routes() -> ApiRouter<App> {
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
