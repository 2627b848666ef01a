use std::net::IpAddr;

use reqwest::Method;
use serde_json::{Value, json};

use super::Answer;
use super::events::EventReader;

/// A client of the service, with or without a key.
#[derive(Clone)]
pub struct Client {
    http: reqwest::Client,
    address: String,
    key: Option<String>,
    headers: Vec<(String, String)>,
}

/// No proxy that the environment names is asked for an address of this machine.
fn http(builder: reqwest::ClientBuilder) -> reqwest::Client {
    builder.no_proxy().build().expect("a client")
}

impl Client {
    pub fn new(address: &str, key: Option<&str>) -> Self {
        Self {
            http: http(reqwest::Client::builder()),
            address: address.to_owned(),
            key: key.map(str::to_owned),
            headers: Vec::new(),
        }
    }

    pub fn key_value(&self) -> &str {
        self.key.as_deref().expect("this client has a key")
    }

    /// A copy of this client with one more header.
    pub fn with(&self, name: &str, value: &str) -> Self {
        let mut client = self.clone();
        client.headers.push((name.to_owned(), value.to_owned()));
        client
    }

    /// A copy of this client at another loopback address.
    pub fn at(&self, address: &str) -> Self {
        let address: IpAddr = address.parse().expect("an address");
        Self {
            http: http(reqwest::Client::builder().local_address(address)),
            ..self.clone()
        }
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    /// `X-Total-Count` of this list.
    pub async fn total(&self, path: &str) -> String {
        self.get(path).await.header("x-total-count").to_owned()
    }

    pub async fn newest_audit_entry(&self) -> Value {
        let log = self.get("/api/audit-log?per_page=1").await;
        log.ok()["audit_log"][0].take()
    }

    pub async fn etag(&self, path: &str) -> String {
        self.get(path).await.header("etag").to_owned()
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, Some(body)).await
    }

    /// Creates a role of this name; returns the id.
    pub async fn create_role(&self, name: &str) -> i64 {
        let made = self.post("/api/roles", json!({ "name": name })).await;
        made.created()["role"]["id"].as_i64().expect("an id")
    }

    /// A POST without a body.
    pub async fn post_empty(&self, path: &str) -> Answer {
        self.send(Method::POST, path, None).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PUT, path, Some(body)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None).await
    }

    pub async fn send(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let body = body.map(|body| ("application/json", body.to_string().into_bytes()));
        self.send_bytes(method, path, body).await
    }

    /// Sends these bytes as the body, unchanged.
    pub async fn send_bytes(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, Vec<u8>)>,
    ) -> Answer {
        let request = format!("{method} {path}");
        let response = self.response(method, path, body).await;
        Answer::read(request, response).await
    }

    /// Begins to receive events.
    pub async fn events(&self, path: &str) -> EventReader {
        let opened = self.try_events(path).await;
        opened.unwrap_or_else(|refused| panic!("{refused:?}"))
    }

    /// Begins to receive events, or returns the refusal.
    pub async fn try_events(&self, path: &str) -> Result<EventReader, Answer> {
        let response = self.response(Method::GET, path, None).await;
        match response.status().as_u16() {
            200 => Ok(EventReader::new(response)),
            _ => Err(Answer::read(format!("GET {path}"), response).await),
        }
    }

    async fn response(
        &self,
        method: Method,
        path: &str,
        body: Option<(&str, Vec<u8>)>,
    ) -> reqwest::Response {
        let request = format!("{method} {path}");
        let mut call = self.http.request(method, format!("{}{path}", self.address));
        if let Some(key) = &self.key {
            call = call.header("X-API-Key", key);
        }
        for (name, value) in &self.headers {
            call = call.header(name, value);
        }
        if let Some((kind, bytes)) = body {
            call = call.header("Content-Type", kind).body(bytes);
        }
        call.send()
            .await
            .unwrap_or_else(|error| panic!("{request}: {error}"))
    }
}
