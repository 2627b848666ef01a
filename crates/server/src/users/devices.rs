//! The devices that a user has come from.

use db::Conn;
use serde::Serialize;

use super::{User, store};
use crate::Result;
use crate::edit::{Change, Edit, Resource, Target};
use crate::timestamp::Timestamp;

#[derive(Clone, Debug, Serialize)]
pub struct Device {
    pub id: i64,
    pub user_id: i64,
    pub name: String,
    pub user_agent: String,
    pub last_active: Timestamp,
}

impl Resource for Device {
    const PLURAL: &'static str = "devices";
    const SINGULAR: &'static str = "device";

    fn id(&self) -> i64 {
        self.id
    }
}

pub async fn list(conn: &mut Conn, user_id: i64) -> Result<Vec<Device>> {
    Ok(store::devices::list(conn, user_id).await?)
}

/// Forgets the device. Its session ends with it.
pub async fn delete(edit: &mut Edit, user: &Target<User>, id: i64) -> Result<Change<Device>> {
    let device = store::devices::find(edit, user.id, id).await?;
    let device = edit.part(user, device)?;
    store::devices::delete(edit, device.id).await?;
    Ok(Change::deleted(device))
}
