//! The devices of a user.

pub mod http;
mod store;

use db::Conn;
use serde::Serialize;

pub(super) use self::store::delete_all;
pub use self::store::{sign_out_all, touch};

use super::User;
use super::save::{count_part_change, no_fields, part_fields, save};
use kernel::input::{Line, Text};
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Target};
use kernel::{Error, Result, input};

input! {
    /// A device of a user.
    pub struct NewDevice {
        name: Line<1, 100>,
        /// The `User-Agent` of the browser or program.
        user_agent: Text<1, 512>,
    }
}

/// The name of the field in the audit log.
const FIELD: &str = "devices";

#[derive(Clone, Debug, Serialize)]
pub struct Device {
    pub id: i64,
    pub name: String,
    pub user_agent: String,
    // Not in the audit log: using a device does not change the user.
    #[serde(skip)]
    pub last_active: Timestamp,
}

/// How many devices a user may have. Adding another removes the oldest, one without a session if
/// there is any.
const MOST: i64 = 100;

/// The devices of a user.
pub async fn list(conn: &mut Conn, user_id: i64) -> Result<Vec<Device>> {
    Ok(store::list(conn, user_id, MOST).await?)
}

/// Adds a device without a session.
pub async fn add(edit: &mut Edit, before: Target<User>, new: NewDevice) -> Result<Change<Device>> {
    let mut user = before.clone();
    let device = register(edit, &mut user, new).await?;
    save(edit, &before, &mut user).await?;
    let (id, fields) = (device.id, part_fields(FIELD, device.id, &device));
    let change = Change::of_part("add_device", &before, &no_fields(), &fields, device);
    Ok(change.creating_part(id).with_etag_of(&user))
}

/// The device for a sign-in of a locked user: one with the same name and program but no session, or
/// a new one. The user's entity tag changes, but not `updated_at`.
pub async fn register(edit: &mut Edit, user: &mut User, new: NewDevice) -> Result<Device> {
    let NewDevice { name, user_agent } = new;
    let now = edit.now();
    let (name, user_agent) = (name.into_string(), user_agent.into_string());
    let unused = store::find_unused(edit, user.id, &name, &user_agent).await?;
    let device = match unused {
        Some(device) => {
            touch(edit, device.id, now).await?;
            Device {
                last_active: now,
                ..device
            }
        }
        None => {
            make_room(edit, user.id).await?;
            let mut device = Device {
                id: 0,
                name,
                user_agent,
                last_active: now,
            };
            device.id = store::insert(edit, user.id, &device).await?;
            device
        }
    };
    count_part_change(edit, user).await?;
    Ok(device)
}

/// Removes the oldest device of a user who has as many as allowed.
async fn make_room(edit: &mut Edit, user_id: i64) -> Result<()> {
    if store::count(edit, user_id, MOST).await? == MOST {
        store::delete_oldest(edit, user_id).await?;
    }
    Ok(())
}

/// Removes the device and ends its session.
pub async fn delete(edit: &mut Edit, before: Target<User>, id: i64) -> Result<Change<()>> {
    let device = store::find(edit, before.id, id).await?;
    let device = device.ok_or(Error::NotFound("device"))?;
    let mut user = before.clone();
    store::delete(edit, id).await?;
    count_part_change(edit, &mut user).await?;
    save(edit, &before, &mut user).await?;
    let fields = part_fields(FIELD, id, &device);
    let change = Change::of_part("remove_device", &before, &fields, &no_fields(), ());
    Ok(change.with_etag_of(&user))
}
