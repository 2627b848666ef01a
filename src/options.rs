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
use server::app::Limits;
use server::upkeep::Rules;

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
    pub server_query: Switch,

    /// Keep audit entries for this many days. The default is for ever.
    #[arg(long, env = "STEWARD_AUDIT_DAYS", value_name = "DAYS",
          value_parser = clap::value_parser!(u32).range(1..), global = true)]
    audit_days: Option<u32>,

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
    /// Change the key that secrets are encrypted under.
    Secret {
        #[command(subcommand)]
        command: SecretCommand,
    },
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
        let Some(id) = command
            .get_arguments()
            .find(|arg| known(arg))
            .map(|arg| arg.get_id().clone())
        else {
            return Err(fail(format!("there is no option called {name}")));
        };
        let value = match value {
            toml::Value::String(text) => text,
            toml::Value::Integer(number) => number.to_string(),
            _ => return Err(fail(format!("{name} must be a string or a number"))),
        };
        command = command.mut_arg(id, |arg| arg.default_value(OsStr::from(value)));
    }
    Ok(command)
}
