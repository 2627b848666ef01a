//! The devices of a user.

use db::{Conn, Tx};
use serde::Serialize;

use super::input::NewDevice;
use super::parts::{no_fields, part_fields};
use super::{User, count_part_change, save, store};
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Target};
use kernel::{Error, Result};

/// As the audit log names devices.
const FIELD: &str = "devices";

#[derive(Clone, Debug, Serialize)]
pub struct Device {
    pub id: i64,
    pub name: String,
    pub user_agent: String,
    // Not part of the audit log: using a device is no change of the user.
    #[serde(skip)]
    pub last_active: Timestamp,
}

/// How many devices a user may have. When another is added, the oldest goes: one without a session,
/// if there is any.
const MOST: i64 = 100;
/// How many devices are removed at once from a user who has more than the limit from before it.
const REMOVED_AT_ONCE: i64 = 1000;

/// The devices of a user, or the newest of them if there are more than the limit from before it.
pub async fn list(conn: &mut Conn, user_id: i64) -> Result<Vec<Device>> {
    Ok(store::devices::list(conn, user_id, MOST).await?)
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

/// The device of a user who signs in and is locked: one of the same name and program that has no
/// session, or a new one. The entity tag of the user changes, but not `updated_at`.
pub async fn register(edit: &mut Edit, user: &mut User, new: NewDevice) -> Result<Device> {
    let NewDevice { name, user_agent } = new;
    let now = edit.now();
    let (name, user_agent) = (name.into_string(), user_agent.into_string());
    let unused = store::devices::find_unused(edit, user.id, &name, &user_agent).await?;
    let device = match unused {
        Some(device) => {
            store::devices::touch(edit, device.id, now).await?;
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
            device.id = store::devices::insert(edit, user.id, &device).await?;
            device
        }
    };
    count_part_change(edit, user).await?;
    Ok(device)
}

/// Removes the oldest devices of a user who has as many as allowed.
async fn make_room(edit: &mut Edit, user_id: i64) -> Result<()> {
    let count = store::devices::count(edit, user_id, MOST + REMOVED_AT_ONCE).await?;
    if count >= MOST {
        store::devices::delete_oldest(edit, user_id, count - MOST + 1).await?;
    }
    Ok(())
}

/// Stores that the device is in use.
pub async fn touch(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    Ok(store::devices::touch(tx, id, now).await?)
}

/// Removes the device. Its session ends with it.
pub async fn delete(edit: &mut Edit, before: Target<User>, id: i64) -> Result<Change<()>> {
    let device = store::devices::find(edit, before.id, id).await?;
    let device = device.ok_or(Error::NotFound("device"))?;
    let mut user = before.clone();
    store::devices::delete(edit, id).await?;
    count_part_change(edit, &mut user).await?;
    save(edit, &before, &mut user).await?;
    let fields = part_fields(FIELD, id, &device);
    let change = Change::of_part("remove_device", &before, &fields, &no_fields(), ());
    Ok(change.with_etag_of(&user))
}
