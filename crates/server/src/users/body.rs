//! Response bodies that other slices show as well.

use schemars::JsonSchema;
use serde::Serialize;

use super::devices::Device;
use super::{Listed, User};
use kernel::types::Timestamp;

#[derive(Serialize, JsonSchema)]
pub struct UserItem {
    id: i64,
    username: String,
    email: String,
    created_at: Timestamp,
    status: String,
}

impl From<Listed> for UserItem {
    fn from(user: Listed) -> Self {
        Self {
            id: user.id,
            username: user.username,
            email: user.email,
            created_at: user.created_at,
            status: user.status,
        }
    }
}

impl From<User> for UserItem {
    fn from(user: User) -> Self {
        Self {
            id: user.id,
            username: user.username,
            email: user.email,
            created_at: user.created_at,
            status: user.status,
        }
    }
}

#[derive(Serialize, JsonSchema)]
pub struct DeviceItem {
    id: i64,
    name: String,
    last_active: Timestamp,
    user_agent: String,
}

impl From<Device> for DeviceItem {
    fn from(device: Device) -> Self {
        Self {
            id: device.id,
            name: device.name,
            last_active: device.last_active,
            user_agent: device.user_agent,
        }
    }
}
