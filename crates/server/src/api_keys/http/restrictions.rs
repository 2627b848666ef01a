use aide::axum::ApiRouter;
use aide::axum::routing::get_with;
use axum::extract::State;
use schemars::JsonSchema;
use serde::Serialize;

use crate::api_keys::{self, ApiKey, RestrictionChanges};
use crate::app::App;
use kernel::Result;
use kernel::auth::permission::{ApiKeys, ApiKeysRead};
use kernel::auth::{LastUse, Restrictions};
use kernel::http::openapi::named;
use kernel::http::path::Id;
use kernel::http::reply::{Done, Single};
use kernel::http::{Caller, Writer};
use kernel::types::{IpNetworks, Timestamp};

#[derive(Serialize, JsonSchema)]
struct RestrictionsBody {
    /// From when on the key is refused; null is never.
    expires_at: Option<Timestamp>,
    /// From where alone the key is accepted; null is from anywhere.
    allowed_ips: Option<IpNetworks>,
    /// How many requests it may make in any second; null is no limit of its own.
    requests_per_second: Option<u32>,
    last_used_at: Option<Timestamp>,
    last_used_ip: Option<String>,
    /// How long the value before the last rotation can still be used.
    previous_key_valid_until: Option<Timestamp>,
}

impl RestrictionsBody {
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
struct SingleRestrictions {
    restrictions: RestrictionsBody,
}

#[derive(Serialize, JsonSchema)]
struct RestrictionsReply {
    message: &'static str,
    restrictions: RestrictionsBody,
}

async fn get(caller: Caller<ApiKeysRead>, id: Id) -> Result<Single<SingleRestrictions>> {
    let mut read = caller.read().await?;
    let key = api_keys::get(&mut read, id.0).await?;
    let last_use = api_keys::last_use(&caller.kernel().keys, &key);
    let restrictions = RestrictionsBody::of(&key, last_use, caller.now());
    // Its uses belong to no update, but whoever asks again wants to know of them.
    caller.single_with_others(&key, &SingleRestrictions { restrictions })
}

async fn set(
    State(app): State<App>,
    id: Id,
    writer: Writer<ApiKeys, RestrictionChanges>,
) -> Result<Done<RestrictionsReply>> {
    let now = writer.now();
    let explained =
        writer.explain(async |_, changes| Ok(api_keys::check_restrictions(now, changes)));
    let run = explained.run(async |edit, body| {
        let key = api_keys::target(edit, id.0).await?;
        let restricted = api_keys::restrict(edit, key, body.valid()?).await?;
        Ok(restricted.map(|key| RestrictionsReply {
            message: "API key restrictions updated.",
            restrictions: RestrictionsBody::of(
                &key,
                api_keys::last_use(&app.keys, &key),
                edit.now(),
            ),
        }))
    });
    run.await
}

pub fn routes() -> ApiRouter<App> {
    ApiRouter::new().api_route(
        "/api/api-keys/{id}/restrictions",
        get_with(
            get,
            named(
                "getApiKeyRestrictions",
                "Show how an API key is restricted, and its last use",
            ),
        )
        .put_with(
            set,
            named(
                "setApiKeyRestrictions",
                "Say until when, from where and how often an API key can be used",
            ),
        ),
    )
}
