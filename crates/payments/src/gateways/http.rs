//! Operations of `/api/payment-gateways`.

use serde::Serialize;

use super::{Gateway, GatewayChanges, NewGateway};
use crate::gateways;
use kernel::auth::permission::{Payments, PaymentsRead};
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::reply::{Created, Done, List, Message, Single};
use kernel::http::routing::{ApiRouter, get_with, named, named_failing};
use kernel::http::{Caller, Writer};
use kernel::list::PagingOrAll;
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::etag;
use kernel::{Kernel, Result};

#[derive(Serialize, JsonSchema)]
struct GatewayItem {
    id: i64,
    /// The name that invoices refer to.
    key: String,
    /// The display name.
    name: String,
    /// Whether it accepts new invoices.
    enabled: bool,
    created_at: Timestamp,
}

impl From<Gateway> for GatewayItem {
    fn from(gateway: Gateway) -> Self {
        Self {
            id: gateway.id,
            key: gateway.key,
            name: gateway.name,
            enabled: gateway.enabled,
            created_at: gateway.created_at,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct GatewayList {
    payment_gateways: Vec<GatewayItem>,
}

#[derive(Serialize, JsonSchema)]
struct SingleGateway {
    payment_gateway: GatewayItem,
}

#[derive(Serialize, JsonSchema)]
struct GatewayReply {
    message: &'static str,
    payment_gateway: GatewayItem,
}

async fn list(
    caller: Caller<PaymentsRead>,
    request: ListRequest<PagingOrAll>,
) -> Result<List<GatewayList>> {
    let mut read = caller.read_alone().await?;
    let total = gateways::count(&mut read).await?;
    let mut found = gateways::list(&mut read, request.window()).await?;
    let headers = request.headers(total, &mut found, |gateway| gateway.id);
    let payment_gateways = found.into_iter().map(GatewayItem::from).collect();
    List::new(headers, &GatewayList { payment_gateways })
}

async fn get(caller: Caller<PaymentsRead>, id: Id) -> Result<Single<SingleGateway>> {
    let mut read = caller.read().await?;
    let gateway = gateways::get(&mut read, id.0).await?;
    let tag = etag::of(&gateway);
    let payment_gateway = gateway.into();
    caller.single(tag, &SingleGateway { payment_gateway })
}

async fn create(writer: Writer<Payments, NewGateway>) -> Result<Created<GatewayReply>> {
    let explained = writer.explain(gateways::check_new);
    let run = explained.run(async |edit, body| {
        let created = gateways::create(edit, body.valid()?).await?;
        Ok(created.map(|gateway| GatewayReply {
            message: "Payment gateway created.",
            payment_gateway: gateway.into(),
        }))
    });
    run.await
}

async fn update(id: Id, writer: Writer<Payments, GatewayChanges>) -> Result<Done<GatewayReply>> {
    let explained =
        writer.explain(async |conn, changes| gateways::check_changes(conn, id.0, changes).await);
    let run = explained.run(async |edit, body| {
        let gateway = gateways::target(edit, id.0).await?;
        let updated = gateways::update(edit, gateway, body.valid()?).await?;
        Ok(updated.map(|gateway| GatewayReply {
            message: "Payment gateway updated.",
            payment_gateway: gateway.into(),
        }))
    });
    run.await
}

async fn delete(id: Id, writer: Writer<Payments>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let gateway = gateways::target(edit, id.0).await?;
        let deleted = gateways::delete(edit, gateway).await?;
        Ok(deleted.map(|_| Message::new("Payment gateway deleted.")))
    });
    run.await
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/payment-gateways",
            get_with(list, named("listPaymentGateways", "List payment gateways")).post_with(
                create,
                named("createPaymentGateway", "Create a payment gateway"),
            ),
        )
        .api_route(
            "/api/payment-gateways/{id}",
            get_with(get, named("getPaymentGateway", "Show a payment gateway"))
                .put_with(
                    update,
                    named("updatePaymentGateway", "Change a payment gateway"),
                )
                .delete_with(
                    delete,
                    named_failing(
                        "deletePaymentGateway",
                        "Delete an unused payment gateway",
                        409,
                        "Invoices use the payment gateway.",
                    ),
                ),
        )
        .with_path_items(|item| item.tag("Payment gateways"))
}
