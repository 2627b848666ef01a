//! A server at Discord for tests, on loopback. It answers a bot as Discord is documented to, and
//! misbehaves on demand.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};
use std::time::{Duration, Instant};

use accounts::sign_in::Address;
use discord::guild::{Settings, members};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::providers::{self, Request};
use super::{Client, TestApp};

pub const GUILD: i64 = 613_425_648_685_547_541;
pub const OTHER_GUILD: i64 = 613_425_648_685_547_542;
pub const BOT: i64 = 900_000_000_000_000_001;
pub const BOT_TOKEN: &str = "the-token-of-the-bot-of-the-tests";
/// Roles at Discord, by their places: the bot is below `MODERATOR`.
pub const MODERATOR: i64 = 700_000_000_000_000_009;
pub const BOT_ROLE: i64 = 700_000_000_000_000_005;
pub const VIP: i64 = 700_000_000_000_000_004;
pub const SUPPORTER: i64 = 700_000_000_000_000_003;
pub const BOOSTER: i64 = 700_000_000_000_000_002;
pub const UNMAPPED: i64 = 700_000_000_000_000_001;

const MANAGE_ROLES: u64 = 1 << 28;

/// Troubles of the server, until they are taken back.
#[derive(Clone, Debug, Default)]
pub struct Trouble {
    /// The token is refused.
    pub refuses_token: bool,
    /// The bot was removed.
    pub is_gone: bool,
    /// Members cannot be listed.
    pub has_no_intent: bool,
    /// The bot may not manage roles.
    pub has_no_permission: bool,
    /// Every how many requests one is answered with this status; 0 is never.
    pub fails_each: u64,
    pub fails_with: u16,
    /// A member of whom every request fails.
    pub fails_for: Option<i64>,
    /// Every how many requests one gets no answer although it was carried out; 0 is never.
    pub forgets_each: u64,
    /// Every how many requests one is refused with 429; 0 is never.
    pub limits_each: u64,
    /// For how many seconds.
    pub limits_for: &'static str,
    /// How many requests each answer says are left until its limit begins anew, in 0.2 seconds.
    pub remaining: Option<u64>,
    /// How long the answer to a request takes.
    pub delay: Duration,
    /// Holds answers until it is `true`.
    pub go: Option<watch::Receiver<bool>>,
}

#[derive(Clone, Debug)]
struct Role {
    name: &'static str,
    position: i64,
    managed: bool,
    permissions: u64,
}

struct Inner {
    members: BTreeMap<i64, BTreeSet<i64>>,
    roles: BTreeMap<i64, Role>,
    trouble: Trouble,
    requests: Vec<(Instant, Request)>,
    answered: u64,
    limited: u64,
}

/// The server. It runs until this is dropped.
pub struct Guild {
    port: u16,
    inner: Arc<Mutex<Inner>>,
    task: Option<JoinHandle<()>>,
}

impl Drop for Guild {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
    }
}

impl Inner {
    fn new() -> Self {
        let role = |name, position, managed, permissions| Role {
            name,
            position,
            managed,
            permissions,
        };
        let roles = [
            (GUILD, role("@everyone", 0, false, 0)),
            (UNMAPPED, role("Player", 1, false, 0)),
            (BOOSTER, role("Server Booster", 2, true, 0)),
            (SUPPORTER, role("Supporter", 3, false, 0)),
            (VIP, role("VIP", 4, false, 0)),
            (BOT_ROLE, role("Steward", 5, true, MANAGE_ROLES)),
            (MODERATOR, role("Moderator", 9, false, 0)),
        ];
        Self {
            members: BTreeMap::from([(BOT, BTreeSet::from([BOT_ROLE]))]),
            roles: roles.into(),
            trouble: Trouble::default(),
            requests: Vec::new(),
            answered: 0,
            limited: 0,
        }
    }
}

impl Guild {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("an address").port();
        let inner = Arc::new(Mutex::new(Inner::new()));
        let task = tokio::spawn(serve(listener, Arc::clone(&inner)));
        Self {
            port,
            inner,
            task: Some(task),
        }
    }

    /// A server that all services of these tests share. It has no members but the bot.
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
                    serve(listener, Arc::new(Mutex::new(Inner::new()))).await;
                });
            });
            receive.recv().expect("a port")
        });
        settings(*port)
    }

    pub fn settings(&self) -> Settings {
        settings(self.port)
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no panic")
    }

    pub fn join(&self, id: i64, roles: &[i64]) {
        let roles = roles.iter().copied().collect();
        self.inner().members.insert(id, roles);
    }

    pub fn leave(&self, id: i64) {
        self.inner().members.remove(&id);
    }

    /// The roles of a member; `None` if they are not on the server.
    pub fn roles_of(&self, id: i64) -> Option<Vec<i64>> {
        let roles = self.inner().members.get(&id).cloned();
        roles.map(|roles| roles.into_iter().collect())
    }

    pub fn set_roles(&self, id: i64, roles: &[i64]) {
        self.join(id, roles);
    }

    pub fn move_bot_to(&self, position: i64) {
        let mut inner = self.inner();
        inner.roles.get_mut(&BOT_ROLE).expect("a role").position = position;
    }

    pub fn delete_role(&self, role: i64) {
        self.inner().roles.remove(&role);
    }

    pub fn trouble(&self, trouble: Trouble) {
        self.inner().trouble = trouble;
    }

    pub fn behaves_again(&self) {
        self.trouble(Trouble::default());
    }

    pub fn requests(&self) -> Vec<Request> {
        let inner = self.inner();
        inner
            .requests
            .iter()
            .map(|(_, request)| request.clone())
            .collect()
    }

    pub fn forget_requests(&self) {
        self.inner().requests.clear();
    }

    /// How many requests were answered with 429.
    pub fn limited(&self) -> u64 {
        self.inner().limited
    }

    /// The requests that change roles: the method, the member and the role.
    pub fn changes(&self) -> Vec<(String, i64, i64)> {
        let requests = self.requests().into_iter();
        let changes = requests.filter_map(|request| {
            let parts: Vec<&str> = request.path.split('/').collect();
            let [_, _, _, "guilds", _, "members", member, "roles", role] = parts[..] else {
                return None;
            };
            let number = |text: &str| text.parse::<i64>().expect("an id");
            Some((request.method.clone(), number(member), number(role)))
        });
        changes.collect()
    }

    /// The shortest time in which this many requests arrived.
    pub fn shortest_time_of(&self, count: usize) -> Option<Duration> {
        let inner = self.inner();
        let times: Vec<Instant> = inner.requests.iter().map(|(at, _)| *at).collect();
        let spans = times.windows(count).map(|span| span[count - 1] - span[0]);
        spans.min()
    }
}

fn settings(port: u16) -> Settings {
    let address: Address = format!("http://127.0.0.1:{port}/api/v10")
        .parse()
        .expect("an address");
    Settings {
        address,
        // Tests that are not about the pace have no time for it.
        pace: Duration::ZERO,
    }
}

async fn serve(listener: TcpListener, inner: Arc<Mutex<Inner>>) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        connections.spawn(answer(stream, Arc::clone(&inner)));
    }
}

async fn answer(mut stream: TcpStream, inner: Arc<Mutex<Inner>>) {
    let Some(request) = providers::receive(&mut stream).await else {
        return;
    };
    let (trouble, reply) = {
        let mut inner = inner.lock().expect("no panic");
        inner.requests.push((Instant::now(), request.clone()));
        (inner.trouble.clone(), inner.answer(&request))
    };
    tokio::time::sleep(trouble.delay).await;
    if let Some(mut go) = trouble.go {
        let _ = go.wait_for(|go| *go).await;
    }
    let Some((status, head, body)) = reply else {
        let _ = stream.shutdown().await;
        return;
    };
    let body = body.to_string();
    let bytes = format!(
        "HTTP/1.1 {status} x\r\n{head}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.write_all(bytes.as_bytes()).await;
    let _ = stream.shutdown().await;
}

type Reply = (u16, String, Value);

fn refused(status: u16, code: u64) -> Reply {
    (
        status,
        String::new(),
        json!({ "code": code, "message": "x" }),
    )
}

fn ok(body: Value) -> Reply {
    (200, String::new(), body)
}

impl Inner {
    /// The answer; `None` for none.
    fn answer(&mut self, request: &Request) -> Option<Reply> {
        self.answered += 1;
        let trouble = self.trouble.clone();
        let answered = self.answered;
        let is_turn = |each: u64| each > 0 && answered.is_multiple_of(each);
        if is_turn(trouble.fails_each) {
            return Some(refused(trouble.fails_with, 0));
        }
        if is_turn(trouble.limits_each) {
            self.limited += 1;
            let head = format!("retry-after: {}\r\n", trouble.limits_for);
            return Some((429, head, json!({ "message": "limited", "global": false })));
        }
        let forgets = is_turn(trouble.forgets_each);
        let (status, mut head, body) = self.act(request, &trouble);
        if let Some(remaining) = trouble.remaining {
            head +=
                &format!("x-ratelimit-remaining: {remaining}\r\nx-ratelimit-reset-after: 0.2\r\n");
        }
        (!forgets).then_some((status, head, body))
    }

    fn act(&mut self, request: &Request, trouble: &Trouble) -> Reply {
        let expected = format!("authorization: Bot {BOT_TOKEN}");
        let mut lines = request.head.lines();
        if trouble.refuses_token || !lines.any(|line| line == expected) {
            return refused(401, 0);
        }
        if request.method == "PUT" && !request.head.contains("content-length: 0") {
            return refused(411, 0);
        }
        let url = request.path.strip_prefix("/api/v10/").unwrap_or_default();
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        let parts: Vec<&str> = path.split('/').collect();
        let number = |text: &str| text.parse::<i64>().unwrap_or(0);
        if let (Some(id), ["guilds", _, "members", member, ..]) = (trouble.fails_for, &parts[..])
            && number(member) == id
        {
            return refused(500, 0);
        }
        let method = request.method.as_str();
        if let ("GET", ["users", "@me"]) = (method, &parts[..]) {
            return ok(json!({ "id": BOT.to_string(), "username": "steward" }));
        }
        let ["guilds", guild, rest @ ..] = &parts[..] else {
            return refused(404, 0);
        };
        if trouble.is_gone {
            return refused(403, 50_001);
        }
        if number(guild) != GUILD {
            return refused(404, 10_004);
        }
        match (method, rest) {
            ("GET", []) => ok(json!({ "id": GUILD.to_string(), "name": "Community" })),
            ("GET", ["roles"]) => ok(self.list_roles(trouble)),
            ("GET", ["members"]) if trouble.has_no_intent => refused(403, 50_001),
            ("GET", ["members"]) => ok(self.list_members(query)),
            ("GET", ["members", id]) => match self.members.get(&number(id)) {
                Some(roles) => ok(member(number(id), roles)),
                None => refused(404, 10_007),
            },
            ("PUT" | "DELETE", ["members", id, "roles", role]) => {
                self.change(method, number(id), number(role), trouble)
            }
            _ => refused(404, 0),
        }
    }

    fn list_roles(&self, trouble: &Trouble) -> Value {
        let roles = self.roles.iter();
        let roles = roles.map(|(id, role)| {
            let permissions = match trouble.has_no_permission {
                true => 0,
                false => role.permissions,
            };
            json!({
                "id": id.to_string(), "name": role.name, "color": 0x001e_90ff,
                "position": role.position, "permissions": permissions.to_string(),
                "managed": role.managed, "hoist": false, "mentionable": false,
            })
        });
        roles.collect()
    }

    fn list_members(&self, query: &str) -> Value {
        let pairs = providers::pairs(query);
        let number = |name: &str| {
            let found = pairs.iter().find(|(other, _)| other == name);
            found.and_then(|(_, value)| value.parse::<i64>().ok())
        };
        let after = number("after").unwrap_or(0);
        let limit = number("limit").unwrap_or(1);
        let found = self.members.range(after + 1..).take(limit as usize);
        found.map(|(id, roles)| member(*id, roles)).collect()
    }

    fn change(&mut self, method: &str, id: i64, role: i64, trouble: &Trouble) -> Reply {
        let bot = self.roles.get(&BOT_ROLE).map_or(0, |role| role.position);
        let Some(found) = self.roles.get(&role) else {
            return refused(404, 10_011);
        };
        if found.managed || found.position >= bot || trouble.has_no_permission {
            return refused(403, 50_013);
        }
        let Some(roles) = self.members.get_mut(&id) else {
            return refused(404, 10_007);
        };
        match method {
            "PUT" => roles.insert(role),
            _ => roles.remove(&role),
        };
        (204, String::new(), Value::Null)
    }
}

fn member(id: i64, roles: &BTreeSet<i64>) -> Value {
    let roles: Vec<String> = roles.iter().map(i64::to_string).collect();
    json!({
        "user": { "id": id.to_string(), "username": "x", "discriminator": "0" },
        "nick": null, "roles": roles, "joined_at": "2026-01-01T00:00:00.000000+00:00",
        "deaf": false, "mute": false, "flags": 0,
    })
}

/// The body that connects the server.
pub fn connection() -> Value {
    json!({ "guild_id": GUILD.to_string(), "bot_token": BOT_TOKEN })
}

impl Client {
    /// Maps roles to roles at Discord.
    pub async fn map_roles(&self, pairs: &[(i64, i64)]) {
        let mappings = pairs.iter().map(|(role, at_discord)| {
            json!({ "role_id": role, "discord_role_id": at_discord.to_string() })
        });
        let body = json!({ "mappings": mappings.collect::<Vec<_>>() });
        self.put("/api/discord/roles", body).await.ok();
    }
}

impl TestApp {
    /// A service that asks this server.
    pub async fn start_with_guild(guild: &Guild) -> Self {
        Self::start_with_discord(guild.settings()).await
    }

    /// Makes all visits and steps of repairs that are due.
    pub async fn visit_members(&self) {
        members::once(&self.app.discord).await.expect("visited");
    }

    /// Lets a user sign in with a profile at Discord, as if Discord had verified it.
    pub async fn verify_discord(&self, user_id: i64, discord_id: i64) {
        let subject = discord_id.to_string();
        let mut tx = self.core().db.begin().await.expect("a transaction");
        tx.execute(
            "INSERT INTO user_identities (user_id, provider, subject, linked_at)
             VALUES ($1, 'discord', $2, 0)",
            db::params![user_id, &subject],
        )
        .await
        .expect("inserted");
        tx.commit().await.expect("committed");
    }
}
