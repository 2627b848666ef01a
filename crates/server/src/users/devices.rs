//! The devices that a user has come from.

use db::Conn;
use serde::Serialize;

use super::{User, save, store};
use crate::edit::{Change, Edit, Target};
use crate::timestamp::Timestamp;
use crate::{Error, Result};

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

/// Forgets the device. Its session ends with it.
pub async fn delete(edit: &mut Edit, before: Target<User>, id: i64) -> Result<Change<User>> {
    let mut user = before.clone();
    user.devices.retain(|device| device.id != id);
    if user.devices.len() == before.devices.len() {
        return Err(Error::NotFound("device"));
    }
    store::devices::delete(edit, id).await?;
    save(edit, &before, &mut user).await?;
    Ok(Change::updated("remove_device", &before, user))
}
