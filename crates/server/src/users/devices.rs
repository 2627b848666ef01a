//! The devices that a user has come from.

use db::{Conn, Tx};
use serde::Serialize;

use super::{User, save, store};
use kernel::input::Text;
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Target};
use kernel::{Error, Result, input};

#[derive(Clone, Debug, Serialize)]
pub struct Device {
    pub id: i64,
    pub name: String,
    pub user_agent: String,
    // It changes while nobody changes the user.
    #[serde(skip)]
    pub last_active: Timestamp,
}

pub async fn list(conn: &mut Conn, user_id: i64) -> Result<Vec<Device>> {
    Ok(store::devices::list(conn, user_id).await?)
}

input! {
    /// A device that a user comes from.
    pub struct NewDevice {
        name: Text<1, 100>,
        /// What its browser or program calls itself.
        user_agent: Text<1, 512>,
    }
}

/// Adds a device that nobody is signed in on.
pub async fn add(edit: &mut Edit, before: Target<User>, new: NewDevice) -> Result<Change<Device>> {
    let mut user = before.clone();
    let device = register(edit, user.id, new).await?;
    user.devices.push(device.clone());
    user.part_changes += 1;
    save(edit, &before, &mut user).await?;
    let change = Change::updated("add_device", &before, user);
    Ok(change.map(|_| device))
}

/// Keeps the device of a user who signs in, and who is held. It is seen with the user, but to
/// come from somewhere is no change of who one is.
pub async fn register(edit: &mut Edit, user_id: i64, new: NewDevice) -> Result<Device> {
    let NewDevice { name, user_agent } = new;
    let mut device = Device {
        id: 0,
        name: name.into_string(),
        user_agent: user_agent.into_string(),
        last_active: edit.now(),
    };
    device.id = store::devices::insert(edit, user_id, &device).await?;
    store::count_part_change(edit, user_id).await?;
    Ok(device)
}

/// Notes that the device is in use.
pub async fn touch(tx: &mut Tx, id: i64, now: Timestamp) -> Result<()> {
    Ok(store::devices::touch(tx, id, now).await?)
}

/// Forgets the device. Its session ends with it.
pub async fn delete(edit: &mut Edit, before: Target<User>, id: i64) -> Result<Change<User>> {
    let mut user = before.clone();
    user.devices.retain(|device| device.id != id);
    if user.devices.len() == before.devices.len() {
        return Err(Error::NotFound("device"));
    }
    user.part_changes += 1;
    store::devices::delete(edit, id).await?;
    save(edit, &before, &mut user).await?;
    Ok(Change::updated("remove_device", &before, user))
}
