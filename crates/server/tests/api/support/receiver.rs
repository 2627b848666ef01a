//! Receivers of webhooks for tests, on loopback: they record requests and misbehave on demand.

use std::collections::BTreeMap;
use std::io;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use platform::webhooks::{Resolve, Resolving};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use webhook_client::{Message, SigningSecret};

/// Resolves `10-0-0-1.test` to 10.0.0.1, and nothing else.
#[derive(Debug)]
pub struct Names;

impl Resolve for Names {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        let address = name
            .strip_suffix(".test")
            .map(|name| name.replace('-', "."));
        let address = address.and_then(|text| text.parse::<IpAddr>().ok());
        let found = address.map(|address| vec![address]);
        Box::pin(async move { found.ok_or_else(|| io::Error::other("no such name")) })
    }
}

/// How a receiver answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behaviour {
    Status(u16),
    /// Answers with 429 and this `Retry-After`.
    Limited(&'static str),
    /// Never answers.
    Hang,
    /// Answers with 200 and a body without an end.
    Endless,
    /// Answers with 200 after a while.
    Slow(Duration),
    /// Answers with 200 and the body that it got, after a while.
    Echo(Duration),
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Received {
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Received {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).expect("JSON")
    }

    pub fn id(&self) -> &str {
        &self.headers["webhook-id"]
    }

    /// The secrets of these that have signed it.
    pub fn signed_by<'a>(&self, secrets: &[&'a str]) -> Vec<&'a str> {
        let message = Message {
            id: self.id(),
            timestamp: self.headers["webhook-timestamp"].parse().expect("a number"),
            body: &self.body,
        };
        let header = &self.headers["webhook-signature"];
        let has_signed = |text: &&&str| {
            let secret = SigningSecret::parse(text).expect("a secret");
            header.split(' ').any(|one| one == secret.sign(message))
        };
        secrets.iter().filter(has_signed).copied().collect()
    }
}

#[derive(Clone)]
struct Shared {
    behaviour: Arc<Mutex<Behaviour>>,
    received: Arc<Mutex<Vec<Received>>>,
}

/// Runs until it is dropped.
pub struct Receiver {
    port: u16,
    shared: Shared,
    task: JoinHandle<()>,
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Receiver {
    /// Answers every request with 200.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Shared {
            behaviour: Arc::new(Mutex::new(Behaviour::Status(200))),
            received: Arc::default(),
        };
        let router = Router::new().fallback(receive).with_state(shared.clone());
        let task = tokio::spawn(async move {
            axum::serve(listener, router).await.expect("it serves");
        });
        Self { port, shared, task }
    }

    /// Returns when connections are refused.
    pub async fn stop(mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    pub fn url(&self) -> String {
        self.url_at("127.0.0.1")
    }

    /// Without a path.
    pub fn base(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn url_at(&self, host: &str) -> String {
        format!("http://{host}:{}/hook", self.port)
    }

    pub fn behaves(&self, behaviour: Behaviour) {
        *self.shared.behaviour.lock().expect("no panic") = behaviour;
    }

    /// In the order of arrival.
    pub fn requests(&self) -> Vec<Received> {
        self.shared.received.lock().expect("no panic").clone()
    }

    /// In the order of events: several are sent at once.
    pub fn sorted_requests(&self) -> Vec<Received> {
        let mut requests = self.requests();
        requests.sort_by_key(|request| request.json()["data"]["id"].as_i64());
        requests
    }

    pub fn count(&self) -> usize {
        self.shared.received.lock().expect("no panic").len()
    }

    /// The actions of the events that arrived, in the order of events.
    pub fn actions(&self) -> Vec<String> {
        let requests = self.sorted_requests().into_iter();
        let action = |request: Received| request.json()["type"].as_str().map(str::to_owned);
        requests.filter_map(action).collect()
    }
}

async fn receive(State(shared): State<Shared>, headers: HeaderMap, body: Bytes) -> Response {
    let text = |value: &axum::http::HeaderValue| value.to_str().expect("text").to_owned();
    let headers = headers.iter();
    let headers = headers.map(|(name, value)| (name.to_string(), text(value)));
    let received = Received {
        headers: headers.collect(),
        body: body.to_vec(),
    };
    shared.received.lock().expect("no panic").push(received);
    let behaviour = *shared.behaviour.lock().expect("no panic");
    match behaviour {
        Behaviour::Status(status) => {
            let status = StatusCode::from_u16(status).expect("a status");
            let location = [("location", "http://127.0.0.1:9/elsewhere")];
            (status, location, format!("status {status}")).into_response()
        }
        Behaviour::Limited(time) => {
            (StatusCode::TOO_MANY_REQUESTS, [("retry-after", time)]).into_response()
        }
        Behaviour::Hang => std::future::pending().await,
        Behaviour::Endless => {
            let part = || Ok::<_, io::Error>(Bytes::from_static(&[b'x'; 1024]));
            Body::from_stream(stream::repeat_with(part)).into_response()
        }
        Behaviour::Slow(time) => {
            tokio::time::sleep(time).await;
            StatusCode::OK.into_response()
        }
        Behaviour::Echo(time) => {
            tokio::time::sleep(time).await;
            body.into_response()
        }
    }
}
