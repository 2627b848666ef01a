//! Options: a flag, an environment variable and a line in `steward.toml` each.
//!
//! Flags win over the environment, and that over the file. The file's values become the defaults
//! of the flags, so there is one place that reads, checks and documents an option.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::builder::OsStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Error, FromArgMatches, Parser, Subcommand, ValueEnum};
use db::DatabaseUrl;
use kernel::Limits;
use kernel::types::Day;
use kernel::types::ip_networks::Network;
use server::maintenance::Rules;
use server::servers::history::Keep;
use server::servers::live;

const DEFAULT_FILE: &str = "steward.toml";

/// The administration service of a game-community CMS.
///
/// Without a command it serves the JSON API. It keeps its data in a folder of its own and needs
/// nothing to be configured.
///
/// Every option can also be set by the environment variable named with it, or by a line in
/// steward.toml, such as `listen = "127.0.0.1:9000"`. Flags win over the environment, and that
/// over the file.
#[derive(Parser)]
#[command(name = "steward", version, max_term_width = 100)]
pub struct Options {
    #[command(subcommand)]
    pub command: Option<Command>,

    /// Read options from this file instead of steward.toml in the working directory.
    #[arg(long, env = "STEWARD_CONFIG", value_name = "FILE", global = true)]
    pub config: Option<PathBuf>,

    /// Answer requests at this address. Port 0 picks a free one.
    #[arg(
        long,
        env = "STEWARD_LISTEN",
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080",
        global = true
    )]
    pub listen: SocketAddr,

    /// Serve /metrics at this address instead of beside the API.
    #[arg(
        long,
        env = "STEWARD_METRICS_LISTEN",
        value_name = "ADDRESS",
        global = true
    )]
    pub metrics_listen: Option<SocketAddr>,

    /// Keep the database and the secret key in this folder.
    #[arg(
        long,
        env = "STEWARD_DATA_DIR",
        value_name = "FOLDER",
        default_value = "./data",
        global = true
    )]
    pub data_dir: PathBuf,

    /// Use this database: sqlite:FILE or postgres://USER:PASSWORD@HOST/NAME. The default is
    /// steward.db in the data folder.
    #[arg(
        long,
        env = "STEWARD_DATABASE_URL",
        value_name = "URL",
        hide_env_values = true,
        global = true
    )]
    database_url: Option<DatabaseUrl>,

    /// Hold at most this many connections to PostgreSQL.
    #[arg(long, env = "STEWARD_DATABASE_CONNECTIONS", value_name = "NUMBER", default_value = "16",
          value_parser = clap::value_parser!(u16).range(2..), global = true)]
    database_connections: u16,

    /// Encrypt secrets under the key in this file. It is made at the first start; the default is
    /// secret.key in the data folder.
    #[arg(
        long,
        env = "STEWARD_SECRET_KEY_FILE",
        value_name = "FILE",
        global = true
    )]
    secret_key_file: Option<PathBuf>,

    /// Use this value for the key `admin`, which holds every permission: 16 to 256 visible ASCII
    /// characters. Better set in the environment, since others can see flags.
    #[arg(
        long,
        env = "STEWARD_ADMIN_KEY",
        value_name = "VALUE",
        hide_env_values = true,
        global = true
    )]
    pub admin_key: Option<String>,

    /// Ask game servers for their live figures.
    #[arg(
        long,
        env = "STEWARD_SERVER_QUERY",
        value_name = "ON|OFF",
        default_value = "on",
        global = true
    )]
    server_query: Switch,

    /// Ask each game server every so many seconds.
    #[arg(long, env = "STEWARD_QUERY_INTERVAL", value_name = "SECONDS", default_value = "30",
          value_parser = clap::value_parser!(u32).range(1..=86_400), global = true)]
    query_interval: u32,

    /// Give up on a game server after this many milliseconds.
    #[arg(long, env = "STEWARD_QUERY_TIMEOUT", value_name = "MILLISECONDS", default_value = "2000",
          value_parser = clap::value_parser!(u32).range(50..=10_000), global = true)]
    query_timeout: u32,

    /// Ask at most this many game servers at once.
    #[arg(long, env = "STEWARD_QUERY_CONCURRENCY", value_name = "NUMBER", default_value = "64",
          value_parser = clap::value_parser!(u16).range(1..=1024), global = true)]
    query_concurrency: u16,

    /// Ask game servers in these networks only, such as 10.0.0.0/8,2001:db8::/32. The default is
    /// anywhere.
    #[arg(
        long,
        env = "STEWARD_SERVER_NETWORKS",
        value_name = "NETWORKS",
        value_delimiter = ',',
        global = true
    )]
    server_networks: Vec<Network>,

    /// Keep what game servers said for this many days.
    #[arg(long, env = "STEWARD_HISTORY_DAYS", value_name = "DAYS", default_value = "30",
          value_parser = clap::value_parser!(u32).range(1..=36_500), global = true)]
    history_days: u32,

    /// Keep it by the hour for this many days.
    #[arg(long, env = "STEWARD_HISTORY_HOURLY_DAYS", value_name = "DAYS", default_value = "365",
          value_parser = clap::value_parser!(u32).range(1..=36_500), global = true)]
    history_hourly_days: u32,

    /// Keep audit entries for this many days. The default is for ever.
    #[arg(long, env = "STEWARD_AUDIT_DAYS", value_name = "DAYS",
          value_parser = clap::value_parser!(u32).range(1..), global = true)]
    audit_days: Option<u32>,

    /// End a session that was not used for this many days.
    #[arg(long, env = "STEWARD_SESSION_DAYS", value_name = "DAYS", default_value = "30",
          value_parser = clap::value_parser!(u32).range(1..), global = true)]
    session_days: u32,

    /// Count an invoice as failed when it is unpaid after this many hours. The default is never.
    #[arg(long, env = "STEWARD_FAIL_UNPAID_HOURS", value_name = "HOURS",
          value_parser = clap::value_parser!(u32).range(1..), global = true)]
    fail_unpaid_hours: Option<u32>,

    /// Take bodies of at most this many bytes.
    #[arg(
        long,
        env = "STEWARD_MAX_BODY",
        value_name = "BYTES",
        default_value = "1048576",
        global = true
    )]
    max_body: usize,

    /// Hold at most this many connections of clients; more are turned away.
    #[arg(long, env = "STEWARD_MAX_CONNECTIONS", value_name = "NUMBER", default_value = "1024",
          value_parser = clap::value_parser!(u32).range(1..=100_000), global = true)]
    max_connections: u32,

    /// Give up on a request after this many seconds.
    #[arg(long, env = "STEWARD_REQUEST_TIMEOUT", value_name = "SECONDS", default_value = "30",
          value_parser = clap::value_parser!(u16).range(1..), global = true)]
    request_timeout: u16,

    /// Let a key make at most this many requests in any second, unless it has a limit of its own.
    /// The default is no limit.
    #[arg(long, env = "STEWARD_REQUESTS_PER_SECOND", value_name = "NUMBER",
          value_parser = clap::value_parser!(u32).range(1..=10_000), global = true)]
    requests_per_second: Option<u32>,

    /// Believe proxies in these networks what X-Forwarded-For says. IpNetworks such as 10.0.0.0/8
    /// or single addresses, with commas between them; the default is none.
    #[arg(
        long,
        env = "STEWARD_TRUSTED_PROXIES",
        value_name = "NETWORKS",
        value_delimiter = ',',
        global = true
    )]
    trusted_proxies: Vec<Network>,

    /// Hang up on a client that takes nothing of its response for this many seconds.
    #[arg(long, env = "STEWARD_SEND_TIMEOUT", value_name = "SECONDS", default_value = "30",
          value_parser = clap::value_parser!(u16).range(1..), global = true)]
    send_timeout: u16,

    /// How to write the log: text for people, json for programs. Auto is text on a terminal.
    #[arg(
        long,
        env = "STEWARD_LOG_FORMAT",
        value_name = "FORMAT",
        default_value = "auto",
        global = true
    )]
    pub log_format: LogFormat,

    /// How much to log.
    #[arg(
        long,
        env = "STEWARD_LOG_LEVEL",
        value_name = "LEVEL",
        default_value = "info",
        global = true
    )]
    pub log_level: LogLevel,
}

#[derive(Subcommand)]
pub enum Command {
    /// Serve the API. This is what happens without a command.
    Serve,
    /// Make, list and revoke API keys, beside a running service or without one.
    Key {
        #[command(subcommand)]
        command: KeyCommand,
    },
    /// List game servers, ask them how they are, and run commands on their consoles.
    Server {
        #[command(subcommand)]
        command: ServerCommand,
    },
    /// Change the key that secrets are encrypted under.
    Secret {
        #[command(subcommand)]
        command: SecretCommand,
    },
    /// Fill an empty database with believable data, to look around in or to measure with.
    ///
    /// Nothing of it is real: names are made up, addresses are of domains that are reserved for
    /// examples, game servers are switched off and are on this machine, and all users have the
    /// same password, which is printed at the end. In a new database, the same options give the
    /// same data. It is one transaction: cut short, it leaves nothing behind.
    Demo(DemoData),
    /// Print the OpenAPI document.
    Openapi,
    /// Open the database and say how it stands, without changing it.
    Check,
}

#[derive(Subcommand)]
pub enum KeyCommand {
    /// Make a key and print its value, which is shown only this once.
    Create(NewKey),
    /// List the keys.
    List,
    /// Delete a key. It is refused from the next request on.
    Revoke {
        /// The key's id, as `key list` shows it.
        id: i64,
    },
}

#[derive(Subcommand)]
pub enum ServerCommand {
    /// List the game servers, with what they said last.
    List,
    /// Ask a server how it is, now.
    Query {
        /// The server's id, as `server list` shows it.
        id: i64,
    },
    /// Run a command on a server's console and print the answer.
    Rcon {
        /// The server's id, as `server list` shows it.
        id: i64,
        /// The command; several words are sent as one line.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
}

#[derive(Subcommand)]
pub enum SecretCommand {
    /// Make a new secret key and encrypt everything under it.
    ///
    /// It happens in one step: cut short at any moment, either the old key is still the right one
    /// or the next start puts the new one in its place. Services that run meanwhile go on
    /// answering, but store no new secrets until they are restarted. Those on other machines need
    /// the new key file first.
    Rotate,
}

#[derive(clap::Args)]
pub struct NewKey {
    /// What to call the key.
    #[arg(long)]
    pub name: String,
    /// Give it this permission, such as admin.users.read. May be repeated.
    #[arg(long = "permission", value_name = "NAME", conflicts_with = "all")]
    pub permissions: Vec<String>,
    /// Give it every permission, also those that later versions add.
    #[arg(long)]
    pub all: bool,
    /// Let it end after this many days. The default is never.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    pub expires_in_days: Option<u32>,
}

#[derive(clap::Args)]
#[command(next_help_heading = "How much of what")]
pub struct DemoData {
    /// How many users to make, with roles, blocks, devices and links.
    #[arg(long, value_name = "NUMBER", default_value = "1000",
          value_parser = clap::value_parser!(u32).range(..=100_000_000))]
    pub users: u32,
    /// How many payment invoices to make, over two years.
    #[arg(long, value_name = "NUMBER", default_value = "5000",
          value_parser = clap::value_parser!(u32).range(..=1_000_000_000))]
    pub invoices: u32,
    /// How many game servers to make.
    #[arg(long, value_name = "NUMBER", default_value = "12",
          value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub servers: u32,
    /// How many roles to make.
    #[arg(long, value_name = "NUMBER", default_value = "10",
          value_parser = clap::value_parser!(u32).range(..=10_000))]
    pub roles: u32,
    /// How many pages to make, with their blocks.
    #[arg(long, value_name = "NUMBER", default_value = "24",
          value_parser = clap::value_parser!(u32).range(..=1_000_000))]
    pub pages: u32,
    /// How many navigation items to make, in a tree.
    #[arg(long, value_name = "NUMBER", default_value = "30",
          value_parser = clap::value_parser!(u32).range(..=100_000))]
    pub navigation: u32,
    /// How many promo codes to make.
    #[arg(long, value_name = "NUMBER", default_value = "12",
          value_parser = clap::value_parser!(u32).range(..=100_000))]
    pub promo_codes: u32,
    /// Which data to make. Another number gives another community.
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    pub seed: u64,
    /// Let everything have happened before this day (UTC), such as 2026-03-01. The default is
    /// today.
    #[arg(long, value_name = "DATE", value_parser = day)]
    pub until: Option<Day>,
}

fn day(text: &str) -> Result<Day, &'static str> {
    Day::parse(text).ok_or("it must be a date such as 2026-03-01")
}

#[derive(Clone, Copy, ValueEnum)]
pub enum LogFormat {
    Auto,
    Text,
    Json,
}

#[derive(Clone, Copy, ValueEnum)]
pub enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Switch {
    On,
    Off,
}

impl From<LogLevel> for tracing::Level {
    fn from(level: LogLevel) -> Self {
        match level {
            LogLevel::Error => Self::ERROR,
            LogLevel::Warn => Self::WARN,
            LogLevel::Info => Self::INFO,
            LogLevel::Debug => Self::DEBUG,
            LogLevel::Trace => Self::TRACE,
        }
    }
}

impl Options {
    pub fn database_url(&self) -> DatabaseUrl {
        let default = || DatabaseUrl::Sqlite(self.data_dir.join("steward.db"));
        self.database_url.clone().unwrap_or_else(default)
    }

    pub fn database(&self) -> db::Options {
        db::Options {
            pool_size: self.database_connections.into(),
            ..db::Options::default()
        }
    }

    pub fn secret_key_file(&self) -> PathBuf {
        let default = || self.data_dir.join("secret.key");
        self.secret_key_file.clone().unwrap_or_else(default)
    }

    pub fn upkeep(&self) -> Rules {
        Rules {
            audit_days: self.audit_days,
            fail_unpaid_hours: self.fail_unpaid_hours,
            history: Keep {
                days: self.history_days,
                hourly_days: self.history_hourly_days,
            },
        }
    }

    pub fn live(&self) -> live::Settings {
        live::Settings {
            enabled: self.server_query == Switch::On,
            interval: Duration::from_secs(self.query_interval.into()),
            timeout: Duration::from_millis(self.query_timeout.into()),
            concurrency: self.query_concurrency.into(),
            networks: (!self.server_networks.is_empty())
                .then(|| self.server_networks.iter().copied().collect()),
        }
    }

    pub fn limits(&self) -> Limits {
        let request_time = Duration::from_secs(self.request_timeout.into());
        let defaults = Limits::default();
        Limits {
            connections: self.max_connections as usize,
            body_bytes: self.max_body,
            body_time: defaults.body_time.min(request_time),
            request_time,
            requests_per_second: self.requests_per_second,
            trusted_proxies: self.trusted_proxies.iter().copied().collect(),
            session_days: self.session_days,
            send_time: Duration::from_secs(self.send_timeout.into()),
            ..defaults
        }
    }
}

pub fn read() -> Result<Options, Error> {
    read_from(std::env::args_os().collect())
}

fn read_from(args: Vec<OsString>) -> Result<Options, Error> {
    let command = Options::command();
    // Read once without the file, to learn where it is; other mistakes are told below, with it.
    let first = command.clone().ignore_errors(true).get_matches_from(&args);
    let named: Option<PathBuf> = first.get_one("config").cloned();
    let command = match named {
        Some(file) => with_file(command, &file)?,
        None if Path::new(DEFAULT_FILE).exists() => with_file(command, Path::new(DEFAULT_FILE))?,
        None => command,
    };
    let matches = command.try_get_matches_from(args);
    Options::from_arg_matches(&matches.map_err(without_secrets)?)
}

/// The message about a bad value repeats it, but a mistyped password is still one.
fn without_secrets(mut error: Error) -> Error {
    let mut command = Options::command();
    command.build();
    let mut secrets = command
        .get_arguments()
        .filter(|arg| arg.is_hide_env_values_set());
    let named = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    if secrets.any(|arg| Some(arg.to_string()) == named) {
        let hidden = ContextValue::String("***".into());
        error.insert(ContextKind::InvalidValue, hidden);
    }
    error
}

/// Makes what the file says the defaults.
fn with_file(mut command: clap::Command, file: &Path) -> Result<clap::Command, Error> {
    let fail = |reason: String| {
        Options::command().error(ErrorKind::Io, format!("{}: {reason}", file.display()))
    };
    let text = std::fs::read_to_string(file).map_err(|error| fail(error.to_string()))?;
    let lines: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        // Not all that the error says: it quotes the line, which may hold a secret.
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(0, |before| before.matches('\n').count()) + 1;
        fail(format!("line {line}: {}", error.message()))
    })?;
    for (name, value) in lines {
        let known = |arg: &clap::Arg| {
            arg.get_long() == Some(&name) && arg.get_env().is_some() && name != "config"
        };
        let Some(arg) = command.get_arguments().find(|arg| known(arg)) else {
            return Err(fail(format!("there is no option called {name}")));
        };
        let is_list = arg.get_value_delimiter().is_some();
        let values = match value {
            toml::Value::Array(items) if is_list => items.into_iter().map(scalar).collect(),
            single => scalar(single).map(|single| vec![single]),
        };
        let Some(values) = values else {
            let kinds = if is_list {
                "a string or a list of strings"
            } else {
                "a string or a number"
            };
            return Err(fail(format!("{name} must be {kinds}")));
        };
        let id = arg.get_id().clone();
        command = command.mut_arg(id, |arg| {
            arg.default_values(values.into_iter().map(OsStr::from))
        });
    }
    Ok(command)
}

fn scalar(value: toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text),
        toml::Value::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}
