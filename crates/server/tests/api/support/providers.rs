//! Steam and Discord for tests, on loopback: they record requests and misbehave on demand.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use accounts::sign_in::{Discord, Settings, Steam};
use kernel::secret::Secret;
use reqwest::Url;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::{Answer, Client, TestApp};

pub const RETURN_TO: &str = "https://site.example/signed-in";
pub const STEAM_ID: &str = "76561197969249708";
pub const OTHER_STEAM_ID: &str = "76561197960265731";
pub const DISCORD_ID: &str = "80351110224678912";
pub const CLIENT_SECRET: &str = "the-client-secret-of-the-tests";
pub const ACCESS_TOKEN: &str = "the-access-token-of-the-tests";

pub const LOGIN: &str = "/openid/login";
pub const TOKEN: &str = "/api/v10/oauth2/token";
pub const REVOKE: &str = "/api/v10/oauth2/token/revoke";
pub const ME: &str = "/api/v10/users/@me";

/// How a provider answers requests for a path.
#[derive(Clone, Debug)]
pub enum Reply {
    /// With this status and body.
    Body(u16, String),
    /// With these bytes instead of HTTP.
    Bytes(Vec<u8>),
    /// As usual, but only when this becomes true.
    Later(watch::Receiver<bool>),
    /// Never.
    Hang,
    /// With these bytes, and then no more.
    HangAfter(Vec<u8>),
    /// With a body without an end.
    Endless,
}

impl Reply {
    pub fn ok(body: impl Into<String>) -> Self {
        Self::Body(200, body.into())
    }
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    /// In lower case, with the values as they were sent.
    pub head: String,
    pub body: String,
}

impl Request {
    /// The fields of a form.
    pub fn fields(&self) -> Vec<(String, String)> {
        pairs(&self.body)
    }
}

#[derive(Clone, Default)]
struct Shared {
    replies: Arc<Mutex<BTreeMap<String, Reply>>>,
    requests: Arc<Mutex<Vec<Request>>>,
}

/// Both providers. They run until this is dropped.
pub struct Fake {
    host: &'static str,
    port: u16,
    shared: Shared,
    task: JoinHandle<()>,
}

impl Drop for Fake {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Fake {
    pub async fn start() -> Self {
        Self::start_at("127.0.0.1").await
    }

    pub async fn start_at(host: &'static str) -> Self {
        let listener = TcpListener::bind((host, 0)).await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let shared = Shared::default();
        let task = tokio::spawn(serve(listener, shared.clone()));
        Self {
            host,
            port,
            shared,
            task,
        }
    }

    /// Returns when connections are refused.
    pub async fn stop(&mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    pub fn origin(&self) -> String {
        format!("http://{}:{}", self.host, self.port)
    }

    /// Settings with both providers here.
    pub fn settings(&self) -> Settings {
        settings(&self.origin())
    }

    pub fn replies(&self, path: &str, reply: Reply) {
        let mut replies = self.shared.replies.lock().expect("no panic");
        replies.insert(path.to_owned(), reply);
    }

    pub fn behaves_again(&self) {
        self.shared.replies.lock().expect("no panic").clear();
    }

    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().expect("no panic").clone()
    }

    /// The requests for a path.
    pub fn requests_for(&self, path: &str) -> Vec<Request> {
        let mut requests = self.requests();
        requests.retain(|request| request.path == path);
        requests
    }
}

fn settings(origin: &str) -> Settings {
    let parse = |path: &str| format!("{origin}{path}").parse().expect("an address");
    Settings {
        return_to: vec![RETURN_TO.parse().expect("a page")],
        steam: Some(Steam {
            endpoint: parse(LOGIN),
        }),
        discord: Some(Discord {
            client_id: "1234567890".into(),
            client_secret: Secret::new(CLIENT_SECRET.into()),
            api: parse("/api/v10"),
        }),
        // Long enough on a machine that is busy with other work.
        time_limit: Duration::from_secs(60),
    }
}

/// Providers that every service of these tests has. They keep nothing and always behave.
pub fn shared_settings() -> Settings {
    static PORT: OnceLock<u16> = OnceLock::new();
    let port = PORT.get_or_init(|| {
        let (send, receive) = std::sync::mpsc::channel();
        // A thread of its own, since the runtime of a test ends with it.
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            runtime.block_on(async move {
                let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
                let port = listener.local_addr().expect("an address").port();
                send.send(port).expect("the test waits");
                serve(listener, Shared::default()).await;
            });
        });
        receive.recv().expect("a port")
    });
    settings(&format!("http://127.0.0.1:{port}"))
}

async fn serve(listener: TcpListener, shared: Shared) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(answer(stream, shared.clone()));
    }
}

async fn answer(mut stream: TcpStream, shared: Shared) {
    let Some(request) = receive(&mut stream).await else {
        return;
    };
    let path = request.path.clone();
    shared.requests.lock().expect("no panic").push(request);
    let reply = shared.replies.lock().expect("no panic").get(&path).cloned();
    let bytes = match reply {
        None => usual(&path),
        Some(Reply::Later(mut go)) => {
            let _ = go.wait_for(|go| *go).await;
            usual(&path)
        }
        Some(Reply::Body(status, body)) => http(status, &body),
        Some(Reply::Bytes(bytes)) => bytes,
        Some(Reply::Hang) => std::future::pending().await,
        Some(Reply::HangAfter(bytes)) => {
            let _ = stream.write_all(&bytes).await;
            std::future::pending().await
        }
        Some(Reply::Endless) => {
            let mut part = b"HTTP/1.1 200 OK\r\n\r\nis_valid:true\n".to_vec();
            while stream.write_all(&part).await.is_ok() {
                part = vec![b'x'; 1000];
            }
            return;
        }
    };
    let _ = stream.write_all(&bytes).await;
    let _ = stream.shutdown().await;
}

fn http(status: u16, body: &str) -> Vec<u8> {
    let location = "location: http://127.0.0.1:9/elsewhere\r\n";
    let length = body.len();
    format!("HTTP/1.1 {status} x\r\n{location}content-length: {length}\r\n\r\n{body}").into_bytes()
}

/// The answer of a provider that behaves.
fn usual(path: &str) -> Vec<u8> {
    let body = match path {
        LOGIN => "ns:http://specs.openid.net/auth/2.0\nis_valid:true\n".to_owned(),
        TOKEN => json!({
            "access_token": ACCESS_TOKEN, "token_type": "Bearer", "expires_in": 604_800,
            "refresh_token": "the-refresh-token-of-the-tests", "scope": "identify",
        })
        .to_string(),
        ME => json!({ "id": DISCORD_ID, "username": "gordon" }).to_string(),
        REVOKE => "{}".to_owned(),
        _ => return http(404, ""),
    };
    http(200, &body)
}

pub async fn receive(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    loop {
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let Some((head, body)) = text.split_once("\r\n\r\n") else {
            continue;
        };
        let lines = head
            .lines()
            .skip(1)
            .filter_map(|line| line.split_once(": "));
        let mut lengths = lines.filter(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let length = lengths
            .next()
            .map_or(0, |(_, value)| value.parse().expect("a length"));
        if body.len() < length {
            continue;
        }
        let mut words = head.split(' ');
        let mut word = || words.next().unwrap_or_default().to_owned();
        return Some(Request {
            method: word(),
            path: word(),
            head: head.to_owned(),
            body: body.to_owned(),
        });
    }
}

/// The decoded pairs of a query string or form.
pub fn pairs(text: &str) -> Vec<(String, String)> {
    let url: Url = format!("http://a.test/?{text}").parse().expect("a URL");
    let pairs = url.query_pairs();
    pairs
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect()
}

/// A query string of these pairs.
pub fn query(pairs: &[(String, String)]) -> String {
    let mut url: Url = "http://a.test/".parse().expect("a URL");
    url.query_pairs_mut().extend_pairs(pairs);
    url.query().unwrap_or_default().to_owned()
}

/// A sign-in that was begun.
#[derive(Clone, Debug)]
pub struct Begun {
    pub url: Url,
    pub browser_token: String,
}

impl Begun {
    pub fn parameter(&self, name: &str) -> String {
        let mut pairs = self.url.query_pairs();
        let found = pairs.find(|(other, _)| other == name);
        found
            .unwrap_or_else(|| panic!("{name} in {}", self.url))
            .1
            .into_owned()
    }

    /// Steam's answer for this SteamID64 at the time at which tests begin.
    pub fn steam_answer(&self, steam_id: &str, nonce: &str) -> SteamAnswer {
        let return_to = self.parameter("openid.return_to");
        let (_, own) = return_to.split_once('?').expect("a state");
        let profile = format!("https://steamcommunity.com/openid/id/{steam_id}");
        let openid = [
            ("ns", "http://specs.openid.net/auth/2.0"),
            ("mode", "id_res"),
            ("op_endpoint", "https://steamcommunity.com/openid/login"),
            ("claimed_id", &profile),
            ("identity", &profile),
            ("return_to", &return_to),
            ("response_nonce", nonce),
            ("assoc_handle", "1234567890"),
            (
                "signed",
                "signed,op_endpoint,claimed_id,identity,return_to,response_nonce,assoc_handle",
            ),
            ("sig", "W0u5DRbtHE1GG0ZKXjerUZDUGmc="),
        ];
        let openid = openid.map(|(name, value)| (format!("openid.{name}"), value.to_owned()));
        SteamAnswer(pairs(own).into_iter().chain(openid).collect())
    }

    /// Discord's answer with a code.
    pub fn discord_answer(&self) -> String {
        format!(
            "code=the-code-of-the-tests&state={}",
            self.parameter("state")
        )
    }
}

/// The parameters with which Steam sends a visitor back.
#[derive(Clone, Debug)]
pub struct SteamAnswer(pub Vec<(String, String)>);

impl SteamAnswer {
    /// Replaces a parameter, or adds it.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        let found = self.0.iter_mut().find(|(other, _)| other == name);
        match found {
            Some(pair) => pair.1 = value.to_owned(),
            None => self.0.push((name.to_owned(), value.to_owned())),
        }
        self
    }

    /// Adds a parameter a second time.
    pub fn adding(mut self, name: &str, value: &str) -> Self {
        self.0.push((name.to_owned(), value.to_owned()));
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.0.retain(|(other, _)| other != name);
        self
    }

    pub fn query(&self) -> String {
        query(&self.0)
    }
}

/// The body that finishes a sign-in.
pub fn finish_body(begun: &Begun, query: &str) -> Value {
    json!({
        "query": query, "browser_token": begun.browser_token,
        "device_name": "Phone", "user_agent": "Mozilla/5.0",
    })
}

/// A nonce of the time at which tests begin.
pub fn nonce(text: &str) -> String {
    format!("2026-03-01T12:00:00Z{text}")
}

impl TestApp {
    /// A service with these providers.
    pub async fn start_with_providers(fake: &Fake) -> Self {
        Self::start_with_sign_in(fake.settings()).await
    }

    /// Begins to sign in.
    pub async fn begin_sign_in(&self, provider: &str) -> Begun {
        begin(&self.admin(), provider, json!({ "return_to": RETURN_TO })).await
    }

    /// Begins to link a profile to the user of a session.
    pub async fn begin_link(&self, provider: &str, session_token: &str) -> Begun {
        let body = json!({ "return_to": RETURN_TO, "session_token": session_token });
        begin(&self.admin(), provider, body).await
    }

    /// Finishes to sign in with this answer.
    pub async fn finish_sign_in(&self, provider: &str, begun: &Begun, query: &str) -> Answer {
        let path = format!("/api/sign-in/{provider}/finish");
        self.admin().post(&path, finish_body(begun, query)).await
    }

    /// Signs in with Steam.
    pub async fn steam_sign_in(&self, steam_id: &str) -> Value {
        let begun = self.begin_sign_in("steam").await;
        let nonce = nonce(&format!("n{}", self.next_number("nonce")));
        let query = begun.steam_answer(steam_id, &nonce).query();
        self.finish_sign_in("steam", &begun, &query).await.created()
    }
}

pub async fn begin(client: &Client, provider: &str, body: Value) -> Begun {
    let path = format!("/api/sign-in/{provider}/start");
    let begun = client.post(&path, body).await.created();
    let text = |name: &str| begun[name].as_str().expect(name).to_owned();
    Begun {
        url: text("url").parse().expect("a URL"),
        browser_token: text("browser_token"),
    }
}
