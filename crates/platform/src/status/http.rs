//! Operations that show the status and permissions. They have no resource and no table.

use serde::Serialize;

use kernel::auth::permission::{
    AnyPermission, ApiKeysRead, CATALOGUE, Either, NoPermission, Permission, RolesRead,
};
use kernel::http::Caller;
use kernel::http::paging::ListHeaders;
use kernel::http::reply::{Done, List};
use kernel::http::routing::{ApiRouter, get_with, named};
use kernel::schema::JsonSchema;
use kernel::{API_VERSION, Kernel, Result, VERSION};

#[derive(Serialize, JsonSchema)]
struct ServiceStatus {
    message: &'static str,
    /// The version of this program.
    cms_version: &'static str,
    /// The version of the API contract.
    api_version: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct PermissionList {
    permissions: Vec<&'static Permission>,
}

async fn status(_caller: Caller<AnyPermission>) -> Result<Done<ServiceStatus>> {
    Done::new(&ServiceStatus {
        message: "Steward is running.",
        cms_version: VERSION,
        api_version: API_VERSION,
    })
}

async fn permissions(caller: Caller<NoPermission>) -> Result<List<PermissionList>> {
    let permissions = caller.actor().permissions.list();
    let headers = ListHeaders::whole(permissions.len());
    List::new(headers, &PermissionList { permissions })
}

async fn catalogue(
    _caller: Caller<Either<ApiKeysRead, RolesRead>>,
) -> Result<List<PermissionList>> {
    let permissions: Vec<&Permission> = CATALOGUE.iter().collect();
    let headers = ListHeaders::whole(permissions.len());
    List::new(headers, &PermissionList { permissions })
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/status",
            get_with(
                status,
                named(
                    "getStatus",
                    "Show the status and the versions of the service",
                ),
            ),
        )
        .api_route(
            "/api/permissions",
            get_with(
                permissions,
                named(
                    "listOwnPermissions",
                    "List the permissions of the calling key",
                ),
            ),
        )
        .api_route(
            "/api/permissions/catalog",
            get_with(catalogue, named("listPermissions", "List all permissions")),
        )
        .with_path_items(|item| item.tag("Base"))
}
