//! Roles at Discord that follow roles, with a server of the tests on loopback.

mod check;
mod connection;
mod failures;
mod instances;
mod mappings;
mod model;
mod repair;
mod secrecy;
mod visits;

use serde_json::{Value, json};

use crate::support::guild::{Guild, SUPPORTER, VIP, connection};
use crate::support::{Client, TestApp};

pub const ANNA: i64 = 80_351_110_224_678_912;
/// No roles.
pub const NOTHING: [i64; 0] = [];
pub const BORIS: i64 = 80_351_110_224_678_913;

/// A service with a connected server, whose role `VIP` follows the first role and `Supporter` the
/// second.
pub struct Connected {
    pub guild: Guild,
    pub app: TestApp,
    pub admin: Client,
    pub vip: i64,
    pub supporter: i64,
}

pub async fn connected() -> Connected {
    let guild = Guild::start().await;
    let app = TestApp::start_with_guild(&guild).await;
    let admin = app.admin();
    let vip = admin.create_role("VIP").await;
    let supporter = admin.create_role("Supporter").await;
    admin.put("/api/discord", connection()).await.created();
    admin.map_roles(&[(vip, VIP), (supporter, SUPPORTER)]).await;
    app.visit_members().await;
    guild.forget_requests();
    Connected {
        guild,
        app,
        admin,
        vip,
        supporter,
    }
}

impl Connected {
    /// A user who signs in with this profile, whose owner is on the server with these roles.
    pub async fn member(&self, name: &str, discord_id: i64, roles: &[i64]) -> i64 {
        let user = self.app.user(name).await;
        self.app.verify_discord(user, discord_id).await;
        self.guild.join(discord_id, roles);
        user
    }

    pub async fn give(&self, user: i64, role: i64) {
        let path = format!("/api/users/{user}/roles/{role}");
        self.admin.put(&path, json!({})).await;
    }

    pub async fn take(&self, user: i64, role: i64) {
        let path = format!("/api/users/{user}/roles/{role}");
        self.admin.delete(&path).await.ok();
    }

    /// The roles of a member after all visits.
    pub async fn roles_of(&self, discord_id: i64) -> Vec<i64> {
        self.app.visit_members().await;
        self.guild.roles_of(discord_id).expect("a member")
    }

    /// A member as the list shows them.
    pub async fn shown(&self, discord_id: i64) -> Option<Value> {
        let list = self
            .admin
            .get("/api/discord/members?per_page=100")
            .await
            .ok();
        let members = list["members"].as_array().expect("a list").iter();
        let wanted = discord_id.to_string();
        let is_wanted = |member: &&Value| member["discord_id"].as_str() == Some(wanted.as_str());
        let mut found = members.filter(is_wanted);
        found.next().cloned()
    }

    pub async fn shown_connection(&self) -> Value {
        self.admin.get("/api/discord").await.ok()["discord"].take()
    }
}
