//! Operations of API keys.

mod restrictions;

use serde::Serialize;

use super::{ApiKey, ApiKeyChanges, ApiKeyPermissions, ApiKeyRotation, Issued, NewApiKey};
use crate::api_keys;
use kernel::auth::permission::{ApiKeys, ApiKeysRead, Confirmed, Permission};
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::routing::{
    ApiRouter, SECRET_REPLY, get_with, named, named_failing, post_with, put_with,
};
use kernel::http::{Caller, Writer};
use kernel::list::PagingOrAll;
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::etag;
use kernel::{Kernel, Result};

#[derive(Serialize, JsonSchema)]
struct ApiKeyItem {
    id: i64,
    name: String,
    /// The first 8 characters and a mask; the whole value only in the reply that created it.
    key: String,
    active: bool,
    created_at: Timestamp,
}

impl From<ApiKey> for ApiKeyItem {
    fn from(key: ApiKey) -> Self {
        Self {
            id: key.id,
            key: key.masked(),
            name: key.name,
            active: key.active,
            created_at: key.created_at,
        }
    }
}

impl From<Issued> for ApiKeyItem {
    fn from(Issued { key, value }: Issued) -> Self {
        Self {
            key: value.reveal().to_owned(),
            ..key.into()
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct ApiKeyDetail {
    id: i64,
    name: String,
    /// The first 8 characters and a mask.
    key: String,
    active: bool,
    created_at: Timestamp,
    permissions: Vec<&'static Permission>,
}

impl From<ApiKey> for ApiKeyDetail {
    fn from(key: ApiKey) -> Self {
        Self {
            id: key.id,
            key: key.masked(),
            active: key.active,
            created_at: key.created_at,
            permissions: key.permissions.list(),
            name: key.name,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct ApiKeyList {
    api_keys: Vec<ApiKeyItem>,
}

#[derive(Serialize, JsonSchema)]
struct SingleApiKey {
    api_key: ApiKeyDetail,
}

#[derive(Serialize, JsonSchema)]
struct ApiKeyReply {
    message: &'static str,
    api_key: ApiKeyItem,
}

#[derive(Serialize, JsonSchema)]
struct ApiKeyDetailReply {
    message: &'static str,
    api_key: ApiKeyDetail,
}

async fn list(
    caller: Caller<ApiKeysRead>,
    request: ListRequest<PagingOrAll>,
) -> Result<List<ApiKeyList>> {
    let mut read = caller.read_alone().await?;
    let total = api_keys::count(&mut read).await?;
    let mut found = api_keys::list(&mut read, request.window()).await?;
    let headers = request.headers(total, &mut found, |key| key.id);
    let api_keys = found.into_iter().map(ApiKeyItem::from).collect();
    List::new(headers, &ApiKeyList { api_keys })
}

async fn get(caller: Caller<ApiKeysRead>, id: Id) -> Result<Single<SingleApiKey>> {
    let mut read = caller.read().await?;
    let key = api_keys::get(&mut read, id.0).await?;
    let tag = etag::of(&key);
    let api_key = key.into();
    caller.single(tag, &SingleApiKey { api_key })
}

async fn create(writer: Writer<Confirmed<ApiKeys>, NewApiKey>) -> Result<Created<ApiKeyReply>> {
    let run = writer.run(async |edit, body| {
        // Comes before the body is validated, since 403 comes before 422.
        api_keys::lock(edit).await?;
        let created = api_keys::create(edit, body.valid()?).await?;
        Ok(created.map(|issued| ApiKeyReply {
            message: "API key created. Store its value: it is not shown again.",
            api_key: issued.into(),
        }))
    });
    run.await
}

async fn update(
    id: Id,
    writer: Writer<Confirmed<ApiKeys>, ApiKeyChanges>,
) -> Result<Done<ApiKeyReply>> {
    let run = writer.run(async |edit, body| {
        let key = api_keys::target(edit, id.0).await?;
        let updated = api_keys::update(edit, key, body.valid()?).await?;
        Ok(updated.map(|key| ApiKeyReply {
            message: "API key updated.",
            api_key: key.into(),
        }))
    });
    run.await
}

async fn delete(id: Id, writer: Writer<Confirmed<ApiKeys>>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let key = api_keys::target_to_delete(edit, id.0).await?;
        let deleted = api_keys::delete(edit, key).await?;
        Ok(deleted.map(|_| Message::new("API key deleted.")))
    });
    run.await
}

async fn regenerate(id: Id, writer: Writer<Confirmed<ApiKeys>>) -> Result<Done<ApiKeyReply>> {
    let run = writer.run(async |edit, _| {
        let key = api_keys::target(edit, id.0).await?;
        let regenerated = api_keys::regenerate(edit, key).await?;
        Ok(regenerated.map(|issued| ApiKeyReply {
            message: "API key regenerated. Store its new value: it is not shown again.",
            api_key: issued.into(),
        }))
    });
    run.await
}

async fn set_permissions(
    id: Id,
    writer: Writer<Confirmed<ApiKeys>, ApiKeyPermissions>,
) -> Result<Done<ApiKeyDetailReply>> {
    let run = writer.run(async |edit, body| {
        let key = api_keys::target(edit, id.0).await?;
        let ApiKeyPermissions { permission_ids } = body.valid()?;
        let updated = api_keys::set_permissions(edit, key, permission_ids).await?;
        Ok(updated.map(|key| ApiKeyDetailReply {
            message: "API key permissions updated.",
            api_key: key.into(),
        }))
    });
    run.await
}

async fn rotate(
    id: Id,
    writer: Writer<Confirmed<ApiKeys>, ApiKeyRotation>,
) -> Result<Done<ApiKeyReply>> {
    let run = writer.run(async |edit, body| {
        let key = api_keys::target(edit, id.0).await?;
        let rotated = api_keys::rotate(edit, key, body.valid()?).await?;
        Ok(rotated.map(|issued| ApiKeyReply {
            message: "API key rotated. Store its new value: it is not shown again.",
            api_key: issued.into(),
        }))
    });
    run.await
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .merge(restrictions::routes())
        .api_route(
            "/api/api-keys",
            get_with(list, named("listApiKeys", "List API keys")).post_with(
                create,
                named_failing("createApiKey", "Create an API key", 409, SECRET_REPLY),
            ),
        )
        .api_route(
            "/api/api-keys/{id}",
            get_with(
                get,
                named("getApiKey", "Show an API key and its permissions"),
            )
            .put_with(
                update,
                named("updateApiKey", "Rename, enable or disable an API key"),
            )
            .delete_with(delete, named("deleteApiKey", "Delete an API key")),
        )
        .api_route(
            "/api/api-keys/{id}/regenerate",
            post_with(
                regenerate,
                named_failing(
                    "regenerateApiKey",
                    "Give an API key a new value, and invalidate the old one",
                    409,
                    SECRET_REPLY,
                ),
            ),
        )
        .api_route(
            "/api/api-keys/{id}/permissions",
            put_with(
                set_permissions,
                named(
                    "setApiKeyPermissions",
                    "Replace the permissions of an API key",
                ),
            ),
        )
        .api_route(
            "/api/api-keys/{id}/rotate",
            post_with(
                rotate,
                named_failing(
                    "rotateApiKey",
                    "Rotate an API key, keeping the old value valid for a while",
                    409,
                    SECRET_REPLY,
                ),
            ),
        )
        .with_path_items(|item| item.tag("API keys"))
}
