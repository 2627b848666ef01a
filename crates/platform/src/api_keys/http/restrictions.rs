//! Operations of the restrictions of an API key.

use axum::extract::State;
use serde::Serialize;

use crate::api_keys::{self, ApiKey, ApiKeyRestrictionChanges};
use kernel::auth::permission::{ApiKeys, ApiKeysRead, Confirmed};
use kernel::auth::{LastUse, Restrictions};
use kernel::http::path::Id;
use kernel::http::reply::{Done, Single};
use kernel::http::routing::{ApiRouter, get_with, named};
use kernel::http::{Caller, Writer};
use kernel::schema::JsonSchema;
use kernel::types::{IpNetworks, Timestamp};
use kernel::write::etag;
use kernel::{Kernel, Result};

#[derive(Serialize, JsonSchema)]
struct ApiKeyRestrictions {
    /// When the key expires; null if it does not.
    expires_at: Option<Timestamp>,
    /// The networks that the key can be used from; null for any.
    allowed_ips: Option<IpNetworks>,
    /// The most requests in any second; null for the default limit.
    requests_per_second: Option<u32>,
    last_used_at: Option<Timestamp>,
    last_used_ip: Option<String>,
    /// Until when the value before the last rotation is valid.
    previous_key_valid_until: Option<Timestamp>,
}

impl ApiKeyRestrictions {
    fn of(key: &ApiKey, last_use: Option<LastUse>, now: Timestamp) -> Self {
        let Restrictions {
            expires_at,
            allowed_ips,
            requests_per_second,
        } = key.restrictions.clone();
        let previous = key.previous.as_ref().map(|previous| previous.valid_until);
        Self {
            expires_at,
            allowed_ips,
            requests_per_second,
            last_used_at: last_use.map(|last| last.at),
            last_used_ip: last_use.and_then(|last| last.ip).map(|ip| ip.to_string()),
            previous_key_valid_until: previous.filter(|end| now < *end),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct SingleApiKeyRestrictions {
    restrictions: ApiKeyRestrictions,
}

#[derive(Serialize, JsonSchema)]
struct ApiKeyRestrictionsReply {
    message: &'static str,
    restrictions: ApiKeyRestrictions,
}

async fn get(caller: Caller<ApiKeysRead>, id: Id) -> Result<Single<SingleApiKeyRestrictions>> {
    let mut read = caller.read().await?;
    let key = api_keys::get(&mut read, id.0).await?;
    let last_use = api_keys::last_use(&caller.kernel().keys, &key);
    let restrictions = ApiKeyRestrictions::of(&key, last_use, caller.now());
    // The entity tag of the key does not cover the last use, but a conditional read must see it.
    caller.single_with_others(&etag::of(&key), &SingleApiKeyRestrictions { restrictions })
}

async fn set(
    State(kernel): State<Kernel>,
    id: Id,
    writer: Writer<Confirmed<ApiKeys>, ApiKeyRestrictionChanges>,
) -> Result<Done<ApiKeyRestrictionsReply>> {
    let now = writer.now();
    let explained =
        writer.explain(async |_, changes| Ok(api_keys::check_restrictions(now, changes)));
    let run = explained.run(async |edit, body| {
        let key = api_keys::target(edit, id.0).await?;
        let restricted = api_keys::restrict(edit, key, body.valid()?).await?;
        Ok(restricted.map(|key| ApiKeyRestrictionsReply {
            message: "API key restrictions updated.",
            restrictions: ApiKeyRestrictions::of(
                &key,
                api_keys::last_use(&kernel.keys, &key),
                edit.now(),
            ),
        }))
    });
    run.await
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new().api_route(
        "/api/api-keys/{id}/restrictions",
        get_with(
            get,
            named(
                "getApiKeyRestrictions",
                "Show the restrictions and the last use of an API key",
            ),
        )
        .put_with(
            set,
            named(
                "setApiKeyRestrictions",
                "Set the expiry, networks and rate limit of an API key",
            ),
        ),
    )
}
