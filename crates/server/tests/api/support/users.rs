use serde_json::{Value, json};

use super::{Answer, TestApp};

/// The body that creates a user of this name.
pub fn new_user(username: &str) -> Value {
    json!({
        "username": username,
        "email": format!("{username}@example.com"),
        "password": "battery staple",
    })
}

/// The body that signs in with this username or email.
pub fn sign_in(login: &str) -> Value {
    json!({
        "login": login,
        "password": "battery staple",
        "device_name": "Phone",
        "user_agent": "Mozilla/5.0",
    })
}

impl TestApp {
    /// Creates a user of this name; returns the id.
    pub async fn user(&self, username: &str) -> i64 {
        let made = self.admin().post("/api/users", new_user(username)).await;
        made.created()["user"]["id"].as_i64().expect("an id")
    }

    /// Links a profile of the user on a network.
    pub async fn link(&self, user_id: i64, network_id: i64, profile_url: &str) {
        let path = format!("/api/users/{user_id}/social-networks");
        let body = json!({ "network_id": network_id, "profile_url": profile_url });
        self.admin().post(&path, body).await.created();
    }

    /// Adds a device without a session; returns the id.
    pub async fn device(&self, user_id: i64, name: &str) -> i64 {
        let path = format!("/api/users/{user_id}/devices");
        let body = json!({ "name": name, "user_agent": "Mozilla/5.0" });
        let made = self.admin().post(&path, body).await.created();
        made["device"]["id"].as_i64().expect("an id")
    }

    /// Signs the user of this name in; returns the token.
    pub async fn sign_in(&self, username: &str) -> String {
        let made = self.admin().post("/api/sessions", sign_in(username)).await;
        let token = made.created()["session_token"].clone();
        token.as_str().expect("a token").to_owned()
    }

    /// Verifies a session.
    pub async fn verify(&self, token: &str) -> Answer {
        let body = json!({ "token": token });
        self.admin().post("/api/sessions/verify", body).await
    }

    /// Reads one number from the database, for what the API does not show.
    pub async fn number(&self, sql: &'static str) -> i64 {
        let mut read = self.app.kernel.core.db.read().await.expect("a reader");
        let number = read.query_one(sql, &[], |row| row.get(0)).await;
        number.expect("a number")
    }
}
