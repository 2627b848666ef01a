use db::params;
use serde_json::{Value, json};

use super::{NOON, TestApp};

/// What it takes to make somebody of this name.
pub fn person(username: &str) -> Value {
    json!({
        "username": username,
        "email": format!("{username}@example.com"),
        "password": "battery staple",
    })
}

impl TestApp {
    /// A new user of this name; gives the id.
    pub async fn user(&self, username: &str) -> i64 {
        let made = self.admin().post("/api/users", person(username)).await;
        made.created()["user"]["id"].as_i64().expect("an id")
    }

    /// A device that the user is logged in on; gives the id.
    pub async fn device(&self, user_id: i64, name: &str) -> i64 {
        let mut tx = self.app.db.begin().await.expect("a transaction");
        let id: i64 = tx
            .query_one(
                "INSERT INTO user_devices (user_id, name, user_agent, last_active)
                 VALUES ($1, $2, 'Mozilla/5.0', $3) RETURNING id",
                params![user_id, name, NOON],
                |row| row.get(0),
            )
            .await
            .expect("a device");
        tx.execute(
            "INSERT INTO user_sessions (device_id, token_hash, created_at) VALUES ($1, $2, $3)",
            params![id, &id.to_be_bytes(), NOON],
        )
        .await
        .expect("a session");
        tx.commit().await.expect("both are kept");
        id
    }

    /// A number out of the database, for what the API does not show.
    pub async fn number(&self, sql: &'static str) -> i64 {
        let mut read = self.app.db.read().await.expect("a reader");
        let number = read.query_one(sql, &[], |row| row.get(0)).await;
        number.expect("a number")
    }
}
