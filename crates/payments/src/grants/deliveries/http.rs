//! Operations of the deliveries of a server, for the plugin on it.

use serde::Serialize;
use serde_json::value::RawValue;

use super::Delivery;
use crate::grants::deliveries;
use crate::grants::{DeliveryFailure, PendingDeliveryFilters};
use game_servers::servers;
use kernel::auth::permission::Deliveries;
use kernel::http::path::{DeliveryId, Id};
use kernel::http::query::Query;
use kernel::http::reply::{Done, Message};
use kernel::http::routing::{ApiRouter, get_with, named, post_with};
use kernel::http::{Caller, Writer};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::{Kernel, Result};

#[derive(Serialize, JsonSchema)]
struct PluginDelivery {
    /// The plugin remembers it: a delivery may be fetched more than once.
    id: i64,
    /// `grant`, or `revoke` to take it back.
    kind: &'static str,
    grant_id: i64,
    product: DeliveredProduct,
    user: DeliveredUser,
    /// The SteamID64 of the player; null if it was erased.
    steam_id64: Option<String>,
    #[schemars(with = "serde_json::Map<String, serde_json::Value>")]
    payload: Option<Box<RawValue>>,
    /// When the role of the product expires; null is never.
    expires_at: Option<Timestamp>,
}

#[derive(Serialize, JsonSchema)]
struct DeliveredProduct {
    id: i64,
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct DeliveredUser {
    id: i64,
    username: String,
}

impl From<Delivery> for PluginDelivery {
    fn from(Delivery { grant, step }: Delivery) -> Self {
        let steam_id = grant.recipient.steam_id;
        Self {
            id: step.delivery_id(),
            kind: match step.undoing {
                true => "revoke",
                false => "grant",
            },
            grant_id: grant.id,
            expires_at: grant.role_end(),
            product: DeliveredProduct {
                id: grant.product_id,
                name: grant.product_name,
            },
            user: DeliveredUser {
                id: grant.user_id,
                username: grant.recipient.username,
            },
            steam_id64: steam_id.map(|steam_id| steam_id.id64().to_string()),
            payload: step.payload,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct PluginDeliveryList {
    deliveries: Vec<PluginDelivery>,
}

async fn list(
    caller: Caller<Deliveries>,
    id: Id,
    Query(filters): Query<PendingDeliveryFilters>,
) -> Result<Done<PluginDeliveryList>> {
    let mut read = caller.read_alone().await?;
    servers::get(&mut read, id.0).await?;
    let steam_id = filters.steam_id64.map(|steam_id| steam_id.0);
    let found = deliveries::pending(&mut read, id.0, steam_id).await?;
    let deliveries = found.into_iter().map(PluginDelivery::from).collect();
    Done::new(&PluginDeliveryList { deliveries })
}

async fn confirm(
    id: Id,
    delivery: DeliveryId,
    writer: Writer<Deliveries>,
) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let (grant, step_id) = deliveries::target(edit, id.0, delivery.0).await?;
        let confirmed = deliveries::confirm(edit, grant, step_id, delivery.0).await?;
        Ok(confirmed.map(|()| Message::new("Delivery confirmed.")))
    });
    run.await
}

async fn fail(
    id: Id,
    delivery: DeliveryId,
    writer: Writer<Deliveries, Option<DeliveryFailure>>,
) -> Result<Done<Message>> {
    let run = writer.run(async |edit, body| {
        let (grant, step_id) = deliveries::target(edit, id.0, delivery.0).await?;
        let failure = body.valid()?;
        let failed = deliveries::fail(edit, grant, step_id, delivery.0, failure).await?;
        Ok(failed.map(|()| Message::new("Delivery marked as failed.")))
    });
    run.await
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/servers/{id}/deliveries",
            get_with(
                list,
                named(
                    "listServerDeliveries",
                    "List what the plugin on a server has to deliver, oldest first",
                ),
            ),
        )
        .api_route(
            "/api/servers/{id}/deliveries/{deliveryId}/done",
            post_with(
                confirm,
                named("confirmServerDelivery", "Confirm a delivery"),
            ),
        )
        .api_route(
            "/api/servers/{id}/deliveries/{deliveryId}/failed",
            post_with(
                fail,
                named("failServerDelivery", "Report that a delivery failed"),
            ),
        )
        .with_path_items(|item| item.tag("Deliveries"))
}
