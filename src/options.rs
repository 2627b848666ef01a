//! The global options. Each has a flag, an environment variable and a line in `steward.toml`, and
//! all commands accept it: see [`declared`](crate::command_line::declared).

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use accounts::sign_in::{self, Address, ReturnTo};
use clap::{Args, ValueEnum};
use db::DatabaseUrl;
use discord::guild;
use game_servers::servers::history::Retention;
use game_servers::servers::{Networks, live};
use kernel::Limits;
use kernel::http::cors::{AllowedOrigin, Cors};
use kernel::types::ip_networks::Network;
use payments::grants;
use platform::backups;
use platform::trace_export::Endpoint;
use platform::webhooks;
use server::maintenance::Rules;

use crate::listen_address;
use crate::whole_number::whole_number;

// No doc comment: it would become the program's help.
#[derive(Args)]
pub struct Options {
    /// Read options from this file instead of steward.toml in the working directory.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,

    /// Serve the API at this address, such as 127.0.0.1:8080, localhost:8080, or :8080 for all IPv4
    /// addresses. Port 0 picks a free port.
    #[arg(
        long,
        value_name = "ADDRESS",
        default_value = "127.0.0.1:8080",
        value_parser = listen_address::parse
    )]
    pub listen: SocketAddr,

    /// Serve HTTPS with the certificate chain in this PEM file. Needs --tls-key.
    #[arg(long, value_name = "FILE")]
    tls_cert: Option<PathBuf>,

    /// Serve HTTPS with the private key in this PEM file. Needs --tls-cert.
    #[arg(long, value_name = "FILE")]
    tls_key: Option<PathBuf>,

    /// Serve /metrics at this address instead of the API's.
    #[arg(long, value_name = "ADDRESS", value_parser = listen_address::parse)]
    pub metrics_listen: Option<SocketAddr>,

    /// Send a span for each request to the OpenTelemetry collector at this URL, such as
    /// http://127.0.0.1:4318, over OTLP/HTTP with JSON. Off by default.
    #[arg(long, value_name = "URL")]
    pub otlp_endpoint: Option<Endpoint>,

    /// Serve the OpenAPI document at /openapi.json and a page to read it at /docs.
    #[arg(long, value_name = "ON|OFF", default_value = "on")]
    docs: Switch,

    /// Serve the web console at /console/, and redirect / to it.
    #[arg(long, value_name = "ON|OFF", default_value = "on")]
    console: Switch,

    /// Require a second factor of every operator. Without one, an operator can only set it up.
    #[arg(long, value_name = "ON|OFF", default_value = "off")]
    require_two_factor: Switch,

    /// Store the database and the secret key in this folder.
    #[arg(long, value_name = "FOLDER", default_value = "./data")]
    pub data_dir: PathBuf,

    /// Use this database: sqlite:FILE or postgres://USER:PASSWORD@HOST/NAME. The default is
    /// steward.db in the data folder.
    #[arg(long, value_name = "URL", hide_env_values = true)]
    database_url: Option<DatabaseUrl>,

    /// Open at most this many connections to PostgreSQL.
    #[arg(long, value_name = "NUMBER", default_value = "16",
          value_parser = whole_number::<u16, _>(2..))]
    database_connections: u16,

    /// Wait this long at the start for a database server that cannot be reached yet.
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    database_wait: u16,

    /// Encrypt secrets under the key in this file, which is created with a new database. The
    /// default is secret.key in the data folder.
    #[arg(long, value_name = "FILE")]
    secret_key_file: Option<PathBuf>,

    /// Use this value for the key `admin`, which has every permission: 16 to 256 visible ASCII
    /// characters. Prefer the environment variable: other users can see flags.
    #[arg(long, value_name = "VALUE", hide_env_values = true)]
    pub admin_key: Option<String>,

    /// Query game servers for their live status.
    #[arg(long, value_name = "ON|OFF", default_value = "on")]
    server_query: Switch,

    /// Query each game server at this interval, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "30",
          value_parser = whole_number::<u32, _>(1..=86_400))]
    query_interval: u32,

    /// Time out a query after this many milliseconds.
    #[arg(long, value_name = "MILLISECONDS", default_value = "2000",
          value_parser = whole_number::<u32, _>(50..=10_000))]
    query_timeout: u32,

    /// Query at most this many game servers at once.
    #[arg(long, value_name = "NUMBER", default_value = "64",
          value_parser = whole_number::<u16, _>(1..=1024))]
    query_concurrency: u16,

    /// Contact game servers in these networks only, such as 10.0.0.0/8,2001:db8::/32. The default
    /// is any host but this machine: no loopback, link-local or own address.
    #[arg(long, value_name = "NETWORKS", value_delimiter = ',')]
    server_networks: Vec<Network>,

    /// Keep every sample of a game server's status for this many days.
    #[arg(long, value_name = "DAYS", default_value = "30",
          value_parser = whole_number::<u32, _>(1..=36_500))]
    history_days: u32,

    /// Keep hourly summaries of these samples for this many days.
    #[arg(long, value_name = "DAYS", default_value = "365",
          value_parser = whole_number::<u32, _>(1..=36_500))]
    history_hourly_days: u32,

    /// Keep audit entries for this many days. The default is forever.
    #[arg(long, value_name = "DAYS", value_parser = whole_number::<u32, _>(1..))]
    audit_days: Option<u32>,

    /// Store backups in this folder. Off by default.
    #[arg(long, value_name = "FOLDER")]
    backup_dir: Option<PathBuf>,

    /// Back up to --backup-dir every HOURS hours. Off by default.
    #[arg(long, value_name = "HOURS", value_parser = whole_number::<u32, _>(1..=8_760))]
    backup_every: Option<u32>,

    /// Keep this many backups in --backup-dir; delete the oldest after each new one.
    #[arg(long, value_name = "NUMBER", default_value = "30",
          value_parser = whole_number::<u32, _>(1..=1_000))]
    backup_keep: u32,

    /// Send webhooks to these networks as well, such as 10.0.0.0/8,fd00::/8. The default is public
    /// addresses of other machines only.
    #[arg(long, value_name = "NETWORKS", value_delimiter = ',')]
    webhook_networks: Vec<Network>,

    /// Retry the commands of granted products for this many days.
    #[arg(long, value_name = "DAYS", default_value = "7",
          value_parser = whole_number::<u32, _>(1..=365))]
    grant_days: u32,

    /// Keep the finished deliveries of webhooks for this many days.
    #[arg(long, value_name = "DAYS", default_value = "30",
          value_parser = whole_number::<u32, _>(1..=36_500))]
    delivery_days: u32,

    /// Expire a session that is not used for this many days.
    #[arg(long, value_name = "DAYS", default_value = "30",
          value_parser = whole_number::<u32, _>(1..))]
    session_days: u32,

    /// Expire a session this many days after it began, even if it is used. The default is never.
    #[arg(long, value_name = "DAYS", value_parser = whole_number::<u32, _>(1..))]
    session_max_days: Option<u32>,

    /// Let players who sign in with Steam or Discord come back to these pages of the site only, such as
    /// https://example.org/signed-in.
    #[arg(long, value_name = "URLS", value_delimiter = ',')]
    pub sign_in_return_to: Vec<ReturnTo>,

    /// Let players sign in with Steam. Needs --sign-in-return-to.
    #[arg(long, value_name = "ON|OFF", default_value = "off")]
    steam_sign_in: Switch,

    /// Let players sign in with Discord through the application with this id. Needs
    /// --discord-client-secret-file and --sign-in-return-to.
    #[arg(long, value_name = "ID")]
    pub discord_client_id: Option<String>,

    /// Read the client secret of the application at Discord from this file.
    #[arg(long, value_name = "FILE")]
    pub discord_client_secret_file: Option<PathBuf>,

    /// Use this endpoint instead of https://steamcommunity.com/openid/login. For tests only: who
    /// answers there can sign in as anybody.
    #[arg(long, value_name = "URL")]
    pub steam_url: Option<Address>,

    /// Use this API instead of https://discord.com/api/v10. For tests only: who answers there can sign
    /// in as anybody.
    #[arg(long, value_name = "URL")]
    pub discord_url: Option<Address>,

    /// Mark invoices as failed that are unpaid after this many hours. The default is never.
    #[arg(long, value_name = "HOURS", value_parser = whole_number::<u32, _>(1..))]
    fail_unpaid_hours: Option<u32>,

    /// Accept request bodies of at most this many bytes.
    #[arg(long, value_name = "BYTES", default_value = "1048576")]
    max_body: usize,

    /// Accept at most this many client connections at once; reject further ones.
    #[arg(long, value_name = "NUMBER", default_value = "1024",
          value_parser = whole_number::<u32, _>(1..=100_000))]
    max_connections: u32,

    /// Accept at most this many connections at once from one IPv4 address or one IPv6 network of 64
    /// bits, unless it is a trusted proxy. The default is half of --max-connections.
    #[arg(long, value_name = "NUMBER", value_parser = whole_number::<u32, _>(1..=100_000))]
    max_connections_per_address: Option<u32>,

    /// Answer further wrong keys with 429 after this many within a minute from one IPv4 address or
    /// one IPv6 network of 64 bits. Valid keys are still accepted.
    #[arg(long, value_name = "NUMBER", default_value = "60",
          value_parser = whole_number::<u32, _>(1..=1_000_000))]
    wrong_keys_per_minute: u32,

    /// Time out a request after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "30",
          value_parser = whole_number::<u16, _>(1..))]
    request_timeout: u16,

    /// Limit every key without its own rate limit to this many requests per second. The default is
    /// no limit.
    #[arg(long, value_name = "NUMBER", value_parser = whole_number::<u32, _>(1..=10_000))]
    requests_per_second: Option<u32>,

    /// Trust X-Forwarded-For from proxies in these networks: a comma-separated list of networks
    /// such as 10.0.0.0/8 and addresses. The default is none.
    #[arg(long, value_name = "NETWORKS", value_delimiter = ',')]
    trusted_proxies: Vec<Network>,

    /// Let pages of these origins call the API from a browser, with an API key: a comma-separated
    /// list such as https://panel.example.org, or * for all. The default is none.
    #[arg(long, value_name = "ORIGINS", value_delimiter = ',')]
    cors_origins: Vec<AllowedOrigin>,

    /// Make browsers use HTTPS only, on every port of this host name, for this many seconds
    /// (Strict-Transport-Security). Sent over the service's own TLS; 0 is off.
    #[arg(long, value_name = "SECONDS", default_value = "0",
          value_parser = whole_number::<u32, _>(0..=63_072_000))]
    hsts_seconds: u32,

    /// Disconnect a client that reads nothing of its response for this many seconds, or less than
    /// 1 KiB a second on average.
    #[arg(long, value_name = "SECONDS", default_value = "30",
          value_parser = whole_number::<u16, _>(1..))]
    send_timeout: u16,

    /// Disconnect a client that takes longer than this many seconds to read a response, or 8 MiB of
    /// a larger one. The default lets a backup of any size through at 70 KB a second.
    #[arg(long, value_name = "SECONDS", default_value = "120",
          value_parser = whole_number::<u16, _>(1..))]
    response_timeout: u16,

    /// On SIGTERM, report for this many seconds that the service is not ready before it stops, if
    /// anything has probed /readyz within the last minute.
    #[arg(long, value_name = "SECONDS", default_value = "5",
          value_parser = whole_number::<u16, _>(0..=3_600))]
    drain_seconds: u16,

    /// Allow core dumps and debuggers. They can read the secret key and passwords.
    #[arg(long, value_name = "ON|OFF", default_value = "off")]
    pub core_dumps: Switch,

    /// Log in this format: text for people, json for programs, auto for text on a terminal only.
    #[arg(long, value_name = "FORMAT", default_value = "auto")]
    pub log_format: LogFormat,

    /// Log events of this level and above.
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    pub log_level: LogLevel,

    /// The files that secrets were read from.
    #[arg(skip)]
    pub files_with_secrets: Vec<PathBuf>,

    /// Variables that are named like options but set none.
    #[arg(skip)]
    pub unknown_variables: Vec<String>,
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
    /// The option that needs another one. Clap's `requires` does not see values from a file.
    pub fn fault(&self) -> Option<&'static str> {
        if self.tls_cert.is_some() != self.tls_key.is_some() {
            return Some("HTTPS needs both --tls-cert and --tls-key; only one of them is set");
        }
        if self.backup_every.is_some() && self.backup_dir.is_none() {
            return Some("--backup-every needs --backup-dir, which is not set");
        }
        if self.cors_origins.len() > 1 && self.cors_origins.contains(&AllowedOrigin::Any) {
            return Some("--cors-origins takes * alone, or a list of origins without it");
        }
        None
    }

    /// Every file that contains a secret, whether it exists or not.
    pub fn secret_files(&self) -> Vec<PathBuf> {
        let mut files = self.files_with_secrets.clone();
        files.push(self.secret_key_file());
        files.extend(self.tls_key.clone());
        files.extend(self.discord_client_secret_file.clone());
        if let DatabaseUrl::Sqlite(path) = self.database_url() {
            files.push(path);
        }
        files
    }

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

    /// The files of the certificate and its key, for HTTPS.
    pub fn tls_files(&self) -> Option<(&Path, &Path)> {
        Some((self.tls_cert.as_deref()?, self.tls_key.as_deref()?))
    }

    /// Whether keys and data may cross the internet unencrypted.
    pub fn is_exposed(&self) -> bool {
        let is_behind_proxy = !self.trusted_proxies.is_empty();
        self.tls_files().is_none() && !is_behind_proxy && is_public(self.listen.ip())
    }

    /// The origin of a service that listens on this address.
    pub fn origin_at(&self, address: SocketAddr) -> String {
        let scheme = match self.tls_files() {
            Some(_) => "https",
            None => "http",
        };
        format!("{scheme}://{address}")
    }

    /// The origin of the service at its configured address.
    pub fn origin(&self) -> String {
        self.origin_at(self.listen)
    }

    pub fn steam_sign_in(&self) -> bool {
        self.steam_sign_in == Switch::On
    }

    pub fn docs(&self) -> bool {
        self.docs == Switch::On
    }

    pub fn console(&self) -> bool {
        self.console == Switch::On
    }

    pub fn database_wait(&self) -> Duration {
        Duration::from_secs(self.database_wait.into())
    }

    pub fn drain_time(&self) -> Duration {
        Duration::from_secs(self.drain_seconds.into())
    }

    pub fn secret_key_file(&self) -> PathBuf {
        let default = || self.data_dir.join("secret.key");
        self.secret_key_file.clone().unwrap_or_else(default)
    }

    pub fn maintenance(&self) -> Rules {
        Rules {
            audit_days: self.audit_days,
            fail_unpaid_hours: self.fail_unpaid_hours,
            history: Retention {
                days: self.history_days,
                hourly_days: self.history_hourly_days,
            },
            deliveries: webhooks::deliveries::Retention {
                days: self.delivery_days,
            },
        }
    }

    pub fn live(&self) -> live::Settings {
        live::Settings {
            enabled: self.server_query == Switch::On,
            interval: Duration::from_secs(self.query_interval.into()),
            timeout: Duration::from_millis(self.query_timeout.into()),
            concurrency: self.query_concurrency.into(),
            networks: match &self.server_networks[..] {
                [] => Networks::Elsewhere,
                named => Networks::Named(named.iter().copied().collect()),
            },
            ..live::Settings::default()
        }
    }

    pub fn backups(&self) -> backups::Settings {
        backups::Settings {
            folder: self.backup_dir.clone(),
            every_hours: self.backup_every,
            keep: self.backup_keep as usize,
        }
    }

    pub fn discord(&self) -> guild::Settings {
        let defaults = guild::Settings::default();
        guild::Settings {
            address: self.discord_url.clone().unwrap_or(defaults.address),
            ..defaults
        }
    }

    pub fn grants(&self) -> grants::sender::Settings {
        grants::sender::Settings {
            days: self.grant_days,
        }
    }

    pub fn webhooks(&self) -> webhooks::Settings {
        let networks = self.webhook_networks.iter().copied();
        webhooks::Settings {
            networks: webhooks::Networks::new(networks.map(Into::into)),
            ..webhooks::Settings::default()
        }
    }

    /// How many files and sockets these options allow, besides client connections.
    pub fn other_files(&self) -> usize {
        let database = usize::from(self.database_connections) + 1;
        // Eight more for the database that a backup is written to.
        let backups = self
            .backup_dir
            .as_ref()
            .map_or(0, |_| backups::MAX_DOWNLOADS + 8);
        let collector = usize::from(self.otlp_endpoint.is_some());
        let providers = match self.steam_sign_in() || self.discord_client_id.is_some() {
            true => sign_in::MAX_CONCURRENT,
            false => 0,
        };
        let bot = guild::MAX_CONCURRENT;
        let others = backups + collector + webhooks::MAX_CONCURRENT + providers + bot;
        database + usize::from(self.query_concurrency) + others
    }

    fn connections_per_address(&self) -> usize {
        let half = self.max_connections.div_ceil(2);
        self.max_connections_per_address.unwrap_or(half) as usize
    }

    pub fn limits(&self) -> Limits {
        let request_time = Duration::from_secs(self.request_timeout.into());
        let defaults = Limits::default();
        Limits {
            connections: self.max_connections as usize,
            connections_per_address: self.connections_per_address(),
            body_bytes: self.max_body,
            body_time: defaults.body_time.min(request_time),
            request_time,
            wrong_keys_per_minute: self.wrong_keys_per_minute,
            requests_per_second: self.requests_per_second,
            trusted_proxies: self.trusted_proxies.iter().copied().collect(),
            cors: Cors::new(self.cors_origins.clone()),
            hsts_seconds: self.hsts_seconds,
            require_two_factor: self.require_two_factor == Switch::On,
            session_days: self.session_days,
            session_max_days: self.session_max_days,
            send_time: Duration::from_secs(self.send_timeout.into()),
            response_time: Duration::from_secs(self.response_timeout.into()),
            ..defaults
        }
    }
}

/// Whether the internet may reach the address. An unspecified address means every interface.
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(ip) => {
            let [first, second, ..] = ip.octets();
            // Shared address space of providers (RFC 6598).
            let is_shared = first == 100 && (64..128).contains(&second);
            !(ip.is_loopback() || ip.is_private() || ip.is_link_local() || is_shared)
        }
        IpAddr::V6(ip) => !(ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_the_internet_may_reach_are_public() {
        for (address, expected) in [
            ("0.0.0.0", true),
            ("::", true),
            ("203.0.113.7", true),
            ("2001:db8::7", true),
            ("::ffff:203.0.113.7", true),
            ("100.128.0.1", true),
            ("127.0.0.2", false),
            ("::1", false),
            ("10.1.2.3", false),
            ("172.16.0.1", false),
            ("192.168.1.1", false),
            ("169.254.0.1", false),
            ("100.64.0.1", false),
            ("::ffff:10.1.2.3", false),
            ("fd00::1", false),
            ("fe80::1", false),
        ] {
            let address: IpAddr = address.parse().expect(address);
            assert_eq!(is_public(address), expected, "{address}");
        }
    }
}
