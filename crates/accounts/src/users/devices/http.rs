use serde::Serialize;

use super::NewDevice;
use crate::users::body::DeviceItem;
use crate::users::{self, devices};
use kernel::Result;
use kernel::auth::permission::{Users, UsersRead};
use kernel::http::paging::ListHeaders;
use kernel::http::path::{DeviceId, Id, UserId};
use kernel::http::reply::{Created, Done, List, Message};
use kernel::http::routing::{ApiRouter, delete_with, get_with, named};
use kernel::http::{Caller, Writer};
use kernel::schema::JsonSchema;

#[derive(Serialize, JsonSchema)]
struct DeviceList {
    devices: Vec<DeviceItem>,
}

#[derive(Serialize, JsonSchema)]
struct DeviceReply {
    message: &'static str,
    device: DeviceItem,
}

async fn list(caller: Caller<UsersRead>, id: Id) -> Result<List<DeviceList>> {
    let mut read = caller.read_alone().await?;
    users::require(&mut read, id.0).await?;
    let found = devices::list(&mut read, id.0).await?;
    let headers = ListHeaders::whole(found.len());
    let devices = found.into_iter().map(DeviceItem::from).collect();
    List::new(headers, &DeviceList { devices })
}

async fn add(id: Id, writer: Writer<Users, NewDevice>) -> Result<Created<DeviceReply>> {
    let run = writer.run(async |edit, body| {
        let user = users::target(edit, id.0).await?;
        let added = devices::add(edit, user, body.valid()?).await?;
        Ok(added.map(|device| DeviceReply {
            message: "Device added.",
            device: device.into(),
        }))
    });
    run.await
}

async fn delete(id: UserId, device: DeviceId, writer: Writer<Users>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let user = users::target(edit, id.0).await?;
        let deleted = devices::delete(edit, user, device.0).await?;
        Ok(deleted.map(|_| Message::new("Device removed; its session has ended.")))
    });
    run.await
}

pub fn routes() -> ApiRouter<users::State> {
    ApiRouter::new()
        .api_route(
            "/api/users/{id}/devices",
            get_with(list, named("listUserDevices", "List the devices of a user")).post_with(
                add,
                named("addUserDevice", "Add a device without a session"),
            ),
        )
        .api_route(
            "/api/users/{userId}/devices/{deviceId}",
            delete_with(
                delete,
                named(
                    "deleteUserDevice",
                    "Remove a device of a user and end its session",
                ),
            ),
        )
}
