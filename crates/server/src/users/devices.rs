//! The devices of a user.

use db::{Conn, Tx};
use serde::Serialize;

use super::input::NewDevice;
use super::{User, count_part_change, save, store};
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Target};
use kernel::{Error, Result};

#[derive(Clone, Debug, Serialize)]
pub struct Device {
    pub id: i64,
    pub name: String,
    pub user_agent: String,
    // Not part of the audit log: using a device is no change of the user.
    #[serde(skip)]
    pub last_active: Timestamp,
}

pub async fn list(conn: &mut Conn, user_id: i64) -> Result<Vec<Device>> {
    Ok(store::devices::list(conn, user_id).await?)
}

/// Adds a device without a session.
pub async fn add(edit: &mut Edit, before: Target<User>, new: NewDevice) -> Result<Change<Device>> {
    let mut user = before.clone();
    let device = register(edit, &mut user, new).await?;
    user.devices.push(device.clone());
    save(edit, &before, &mut user).await?;
    let change = Change::updated("add_device", &before, user);
    Ok(change.map(|_| device))
}

/// Adds the device of a user who signs in and is locked. The entity tag of the user changes, but
/// not `updated_at`.
pub async fn register(edit: &mut Edit, user: &mut User, new: NewDevice) -> Result<Device> {
    let NewDevice { name, user_agent } = new;
    let mut device = Device {
        id: 0,
        name: name.into_string(),
        user_agent: user_agent.into_string(),
        last_active: edit.now(),
    };
    device.id = store::devices::insert(edit, user.id, &device).await?;
    count_part_change(edit, user).await?;
    Ok(device)
}

/// Stores that the device is in use.
pub async fn touch(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    Ok(store::devices::touch(tx, id, now).await?)
}

/// Removes the device. Its session ends with it.
pub async fn delete(edit: &mut Edit, before: Target<User>, id: i64) -> Result<Change<User>> {
    let mut user = before.clone();
    user.devices.retain(|device| device.id != id);
    if user.devices.len() == before.devices.len() {
        return Err(Error::NotFound("device"));
    }
    store::devices::delete(edit, id).await?;
    count_part_change(edit, &mut user).await?;
    save(edit, &before, &mut user).await?;
    Ok(Change::updated("remove_device", &before, user))
}
