//! Discord's API, as far as a bot needs it to give and take roles.

use std::sync::Arc;
use std::time::Duration;

use accounts::sign_in::{Address, Discord};
use http_client::{Action, Client, Fetch, Fetched, SystemResolver};
use parking_lot::Mutex;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::resource::Snowflake;
use kernel::secret::Secret;
use kernel::types::time::DAY;

/// The time limit of one request, from resolving the name to the end of the answer.
const TIME_LIMIT: Duration = Duration::from_secs(10);
const MAX_ANSWER: usize = 4 << 20;
/// The longest pause that Discord can ask for, in milliseconds.
pub const LONGEST_PAUSE: i64 = DAY * 1000;
const MAX_PAUSE: Duration = Duration::from_millis(LONGEST_PAUSE.unsigned_abs());
/// The pause if Discord asks for one and does not say how long.
const DEFAULT_PAUSE: Duration = Duration::from_secs(5);
/// How many requests wait for an answer at once.
pub const MAX_CONCURRENT: usize = 4;
/// How many members are listed at once.
pub const PAGE: usize = 1000;
/// The reason of a change in Discord's own audit log.
const REASON: &str = "Steward";
/// The form that Discord asks for.
const AGENT: &str = concat!("DiscordBot (Steward, ", env!("CARGO_PKG_VERSION"), ")");
/// The longest time that a request waits for its turn.
const PATIENCE: Duration = Duration::from_secs(5);

/// Discord's codes of errors.
pub mod code {
    pub const UNKNOWN_GUILD: u64 = 10_004;
    pub const UNKNOWN_ROLE: u64 = 10_011;
    /// The proxy before Discord refused the request, and not Discord.
    pub const CLOUDFLARE: u64 = 40_333;
    /// A role that is not below that of the bot.
    pub const MISSING_PERMISSIONS: u64 = 50_013;
}

/// Where the API is, and how fast it is asked.
#[derive(Clone, Debug)]
pub struct Settings {
    pub address: Address,
    /// The time between two requests.
    pub pace: Duration,
}

impl Default for Settings {
    /// Discord itself, at most 20 requests a second.
    fn default() -> Self {
        Self {
            address: Discord::api(),
            pace: Duration::from_millis(50),
        }
    }
}

/// The API, and when the next request may be sent.
pub struct Api {
    settings: Settings,
    client: Client,
    next: Mutex<Next>,
    places: Semaphore,
}

/// When a bot may send its next request. A pause of another bot is not its.
struct Next {
    authorization: Secret<String>,
    at: Instant,
}

/// A request that did not succeed.
#[derive(Debug)]
pub enum Failure {
    /// 401.
    TokenRefused,
    /// 403, with Discord's code.
    Forbidden(u64),
    /// 404, with Discord's code.
    NotFound(u64),
    /// 429: no requests for this time.
    Limited(Duration),
    /// No answer, or none that says anything. A sentence.
    Unavailable(String),
}

/// The bot of a connection.
pub struct Bot<'a> {
    api: &'a Api,
    authorization: Secret<String>,
    guild_id: i64,
}

/// The body of an error.
#[derive(Deserialize)]
struct Problem {
    #[serde(default)]
    code: u64,
}

/// Anything with an id: a person or a server.
#[derive(Debug, Deserialize)]
pub struct WithId {
    pub id: Snowflake,
}

#[derive(Debug, Deserialize)]
pub struct GuildRole {
    pub id: Snowflake,
    pub name: String,
    pub color: u32,
    pub position: i64,
    /// A set of bits, in decimal digits.
    pub permissions: String,
    /// Whether it belongs to a bot or to Discord, so that nobody can give it.
    pub managed: bool,
}

#[derive(Debug, Deserialize)]
pub struct GuildMember {
    pub user: WithId,
    pub roles: Vec<Snowflake>,
}

impl Api {
    pub fn new(settings: Settings) -> Self {
        Self {
            settings,
            client: Client::new(Arc::new(SystemResolver::default())),
            next: Mutex::new(Next {
                authorization: Secret::new(String::new()),
                at: Instant::now(),
            }),
            places: Semaphore::new(MAX_CONCURRENT),
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn bot(&self, token: &Secret<String>, guild_id: i64) -> Bot<'_> {
        let authorization = Secret::new(format!("Bot {}", token.reveal()));
        let mut next = self.next.lock();
        if next.authorization.reveal() != authorization.reveal() {
            *next = Next {
                authorization: authorization.clone(),
                at: Instant::now(),
            };
        }
        drop(next);
        Bot {
            api: self,
            authorization,
            guild_id,
        }
    }

    /// Waits until a request may be sent, unless that takes long.
    async fn turn(&self) -> Result<(), Failure> {
        let at = {
            let mut next = self.next.lock();
            let now = Instant::now();
            let at = next.at.max(now);
            if at - now > PATIENCE {
                return Err(Failure::Limited(at - now));
            }
            next.at = at + self.settings.pace;
            at
        };
        tokio::time::sleep_until(at).await;
        Ok(())
    }
}

impl Bot<'_> {
    pub async fn me(&self) -> Result<WithId, Failure> {
        self.get("/users/@me").await
    }

    /// Whether the bot is on the server.
    pub async fn guild(&self) -> Result<WithId, Failure> {
        self.get(&format!("/guilds/{}", self.guild_id)).await
    }

    pub async fn roles(&self) -> Result<Vec<GuildRole>, Failure> {
        self.get(&format!("/guilds/{}/roles", self.guild_id)).await
    }

    pub async fn member(&self, id: i64) -> Result<GuildMember, Failure> {
        self.get(&format!("/guilds/{}/members/{id}", self.guild_id))
            .await
    }

    /// The members with the next ids after this one, by id.
    pub async fn members(&self, after: i64, limit: usize) -> Result<Vec<GuildMember>, Failure> {
        let guild_id = self.guild_id;
        self.get_with(
            &format!("/guilds/{guild_id}/members"),
            &[("limit", &limit.to_string()), ("after", &after.to_string())],
        )
        .await
    }

    pub async fn add_role(&self, member: i64, role: i64) -> Result<(), Failure> {
        self.change(Action::Put, member, role).await
    }

    pub async fn remove_role(&self, member: i64, role: i64) -> Result<(), Failure> {
        self.change(Action::Delete, member, role).await
    }

    async fn change(&self, action: Action<'_>, member: i64, role: i64) -> Result<(), Failure> {
        let guild_id = self.guild_id;
        let path = format!("/guilds/{guild_id}/members/{member}/roles/{role}");
        self.send(action, &path, &[]).await.map(|_| ())
    }

    async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        self.get_with(path, &[]).await
    }

    async fn get_with<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<T, Failure> {
        let fetched = self.send(Action::Get, path, query).await?;
        serde_json::from_slice(&fetched.body)
            .map_err(|_| Failure::Unavailable("Discord's answer cannot be read.".to_owned()))
    }

    async fn send(
        &self,
        action: Action<'_>,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<Fetched, Failure> {
        let mut url = self.api.settings.address.below(path);
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let place = self.api.places.acquire().await;
        let _place = place.map_err(|_| Failure::Unavailable("The service stops.".to_owned()))?;
        self.api.turn().await?;
        let fetch = Fetch {
            action,
            url: &url,
            headers: &[
                ("authorization", self.authorization.reveal().as_str()),
                ("x-audit-log-reason", REASON),
                ("user-agent", AGENT),
            ],
            max_answer: MAX_ANSWER,
        };
        let fetched = self.api.client.fetch(fetch, TIME_LIMIT).await;
        let fetched = fetched.map_err(|failure| {
            Failure::Unavailable(format!("Discord cannot be asked: {failure}"))
        })?;
        self.obey_limits(&fetched);
        let code = || serde_json::from_slice(&fetched.body).map_or(0, |Problem { code }| code);
        match fetched.status {
            200..=299 => Ok(fetched),
            401 => Err(Failure::TokenRefused),
            403 if ![0, code::CLOUDFLARE].contains(&code()) => Err(Failure::Forbidden(code())),
            404 if code() != 0 => Err(Failure::NotFound(code())),
            429 => {
                let asked = fetched.seconds("retry-after").unwrap_or(DEFAULT_PAUSE);
                let pause = asked.min(MAX_PAUSE);
                self.pause(pause);
                Err(Failure::Limited(pause))
            }
            status => Err(Failure::Unavailable(format!(
                "Discord answered with {status}."
            ))),
        }
    }

    /// Waits when a limit is used up, before Discord refuses a request. The pause is for all requests:
    /// which of them share a limit is known to Discord only.
    fn obey_limits(&self, fetched: &Fetched) {
        if fetched.number("x-ratelimit-remaining") == Some(0)
            && let Some(reset) = fetched.seconds("x-ratelimit-reset-after")
        {
            self.pause(reset);
        }
    }

    /// Sends no request for this time.
    fn pause(&self, time: Duration) {
        let mut next = self.api.next.lock();
        if next.authorization.reveal() == self.authorization.reveal() {
            next.at = next.at.max(Instant::now() + time.min(MAX_PAUSE));
        }
    }
}
