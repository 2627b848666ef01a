use kernel::auth::permission;
use serde_json::{Value, json};

use super::{Answer, Client, TestApp};

pub const SESSION: &str = "/api/console/session";

/// The body that signs a user of the tests in to the console.
pub fn console_sign_in(login: &str) -> Value {
    json!({ "login": login, "password": "battery staple" })
}

/// The value of a cookie that an answer sets.
pub fn cookie(answer: &Answer, name: &str) -> Option<String> {
    let lines = answer.headers.get_all("set-cookie").iter();
    let mut lines = lines.map(|line| line.to_str().expect("text"));
    lines.find_map(|line| {
        let pair = line.split(';').next()?;
        let value = pair.strip_prefix(name)?.strip_prefix('=')?;
        Some(value.to_owned())
    })
}

impl TestApp {
    /// Creates a user who is an operator with these permissions; returns the id.
    pub async fn operator(&self, username: &str, permissions: &[&str]) -> i64 {
        let id = self.user(username).await;
        self.permit(id, permissions).await;
        id
    }

    /// Gives an operator exactly these permissions.
    pub async fn permit(&self, id: i64, permissions: &[&str]) {
        let ids = permissions.iter().map(|name| permission::by_name(name));
        let ids: Vec<i64> = ids.map(|found| found.expect("a permission").id).collect();
        let path = format!("/api/operators/{id}");
        let body = json!({ "permission_ids": ids });
        let answer = self.admin().put(&path, body).await;
        assert!([200, 201].contains(&answer.status), "{answer:?}");
    }

    /// Signs in to the console and returns a client with the cookie, on a page of the service.
    pub async fn signed_in(&self, login: &str) -> Client {
        let answer = self.anonymous().post(SESSION, console_sign_in(login)).await;
        answer.created();
        self.with_session(&answer)
    }

    /// A client with the session that an answer began.
    pub fn with_session(&self, answer: &Answer) -> Client {
        let token = cookie(answer, "steward").expect("a session");
        self.console(&token)
    }

    /// A client with this token, on a page of the service.
    pub fn console(&self, token: &str) -> Client {
        let client = self.anonymous().with("Cookie", &format!("steward={token}"));
        client.with("Sec-Fetch-Site", "same-origin")
    }
}
