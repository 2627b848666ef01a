//! The URL of a PostgreSQL server.
//!
//! tokio-postgres supports few of libpq's TLS parameters, so they are parsed here. No message
//! repeats a part of the URL that could belong to a password.

use std::fmt;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use tokio_postgres::Config;
use tokio_postgres::config::{Host, TargetSessionAttrs};

use super::tls::{Mode, Roots, Tls};
use crate::{Error, Result};

const INVALID: &str =
    "invalid PostgreSQL address; it looks like postgres://USER:PASSWORD@HOST/NAME";

/// The parameters that tokio-postgres reads.
const FORWARDED: [&str; 14] = [
    "user",
    "password",
    "dbname",
    "options",
    "application_name",
    "sslnegotiation",
    "connect_timeout",
    "tcp_user_timeout",
    "keepalives",
    "keepalives_idle",
    "keepalives_interval",
    "keepalives_retries",
    "channel_binding",
    "load_balance_hosts",
];

/// The servers of one database. At most one of them accepts writes.
#[derive(Clone)]
pub struct Address {
    /// One configuration per host.
    pub(super) servers: Vec<Config>,
    pub(super) tls: Tls,
}

impl FromStr for Address {
    type Err = Error;

    fn from_str(url: &str) -> Result<Self> {
        let parts = Parts::split(url)?;
        let parameters = Parameters::read(parts.query)?;
        let hosts = Hosts::read(&parts, &parameters)?;
        let common = parts.without_hosts(&parameters.forwarded);
        // The parser's message may contain the password, so it is dropped.
        let mut common: Config = common.parse().map_err(|_| Error::Url(INVALID.into()))?;
        common.target_session_attrs(parameters.session.unwrap_or(match hosts.0.len() {
            1 => TargetSessionAttrs::Any,
            // All but one are standbys, which are useless here.
            _ => TargetSessionAttrs::ReadWrite,
        }));
        let tls = parameters.tls.check()?;
        let servers = hosts.0.iter().map(|host| host.server(&common, &tls));
        Ok(Self {
            servers: servers.collect(),
            tls,
        })
    }
}

impl fmt::Display for Address {
    /// Leaves out the password.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "postgres://")?;
        let common = &self.servers[0];
        if let Some(user) = common.get_user() {
            write!(f, "{user}@")?;
        }
        for (i, server) in self.servers.iter().enumerate() {
            let comma = if i > 0 { "," } else { "" };
            match server.get_hosts() {
                [Host::Tcp(name)] if name.contains(':') => write!(f, "{comma}[{name}]")?,
                [Host::Tcp(name)] => write!(f, "{comma}{name}")?,
                [Host::Unix(path)] => write!(f, "{comma}{}", path.display())?,
                _ => {}
            }
            if let [port] = server.get_ports() {
                write!(f, ":{port}")?;
            }
        }
        write!(f, "/{}", common.get_dbname().unwrap_or_default())
    }
}

/// The parts of a URL, split as tokio-postgres splits it.
struct Parts<'a> {
    /// Includes the `@`.
    credentials: &'a str,
    hosts: &'a str,
    /// Includes the `/`.
    database: &'a str,
    query: &'a str,
}

impl<'a> Parts<'a> {
    fn split(url: &'a str) -> Result<Self> {
        let (_, rest) = url
            .split_once("://")
            .ok_or_else(|| Error::Url(INVALID.into()))?;
        let (credentials, rest) = rest.split_at(rest.find('@').map_or(0, |at| at + 1));
        let (hosts, rest) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (database, query) = rest.split_once('?').unwrap_or((rest, ""));
        Ok(Self {
            credentials,
            hosts,
            database,
            query,
        })
    }

    fn without_hosts(&self, parameters: &[&str]) -> String {
        let (credentials, database) = (self.credentials, self.database);
        format!(
            "postgres://{credentials}{database}?{}",
            parameters.join("&")
        )
    }
}

#[derive(Default)]
struct Parameters<'a> {
    tls: TlsParameters,
    session: Option<TargetSessionAttrs>,
    /// The values of `host`, `hostaddr` and `port`.
    hosts: Vec<&'a str>,
    forwarded: Vec<&'a str>,
}

#[derive(Default)]
struct TlsParameters {
    mode: Option<Mode>,
    roots: Option<Roots>,
    certificate: Option<String>,
    key: Option<String>,
}

impl<'a> Parameters<'a> {
    fn read(query: &'a str) -> Result<Self> {
        let mut read = Self::default();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').ok_or_else(unknown)?;
            let (name, value) = (decode(name)?, decode(value)?);
            match name.as_str() {
                "sslmode" => read.tls.mode = Some(mode(&value)?),
                "sslrootcert" if value == "system" => read.tls.roots = Some(Roots::System),
                "sslrootcert" => {
                    read.tls.roots = Some(Roots::File(not_empty("sslrootcert", value)?.into()));
                }
                "sslcert" => read.tls.certificate = Some(not_empty("sslcert", value)?),
                "sslkey" => read.tls.key = Some(not_empty("sslkey", value)?),
                "target_session_attrs" => read.session = Some(session(&value)?),
                "host" | "hostaddr" | "port" => read.hosts.push(pair),
                name => {
                    let known = FORWARDED.iter().find(|known| **known == name);
                    let known = known.ok_or_else(unknown)?;
                    let alone = format!("postgres://localhost/?{pair}");
                    if alone.parse::<Config>().is_err() {
                        return Err(invalid(known, "has no such value"));
                    }
                    read.forwarded.push(pair);
                }
            }
        }
        Ok(read)
    }
}

impl TlsParameters {
    fn check(self) -> Result<Tls> {
        let default = match self.roots {
            Some(Roots::System) => Mode::VerifyFull,
            _ => Mode::Prefer,
        };
        let mode = self.mode.unwrap_or(default);
        match (mode, &self.roots) {
            (Mode::VerifyCa | Mode::VerifyFull, None) => {
                let missing = "is missing: sslmode=verify-ca and verify-full need the file of the \
                               certification authority, or system for those of the machine";
                return Err(invalid("sslrootcert", missing));
            }
            // Anyone can get a certificate of a public authority for a name of their own.
            (Mode::Prefer | Mode::Require | Mode::VerifyCa, Some(Roots::System)) => {
                return Err(invalid("sslrootcert", "system needs sslmode=verify-full"));
            }
            _ => {}
        }
        let identity = match (self.certificate, self.key) {
            (Some(certificate), Some(key)) => Some((certificate.into(), key.into())),
            (None, None) => None,
            (Some(_), None) => return Err(invalid("sslkey", "is missing beside sslcert")),
            (None, Some(_)) => return Err(invalid("sslcert", "is missing beside sslkey")),
        };
        Ok(Tls::new(mode, self.roots, identity))
    }
}

/// The host and port of one server.
struct ServerHost {
    host: Host,
    address: Option<std::net::IpAddr>,
    port: u16,
}

struct Hosts(Vec<ServerHost>);

impl Hosts {
    fn read(parts: &Parts<'_>, parameters: &Parameters<'_>) -> Result<Self> {
        let url = format!("postgres://{}/?{}", parts.hosts, parameters.hosts.join("&"));
        let config: Config = url.parse().map_err(|_| Error::Url(INVALID.into()))?;
        let addresses = config.get_hostaddrs();
        let named = config.get_hosts().to_vec();
        let hosts = if named.is_empty() {
            // A certificate must have this name.
            addresses.iter().map(|a| Host::Tcp(a.to_string())).collect()
        } else {
            named
        };
        if hosts.is_empty() {
            return Err(Error::Url("the PostgreSQL address names no host".into()));
        }
        if !addresses.is_empty() && addresses.len() != hosts.len() {
            return Err(invalid("hostaddr", "must name as many as there are hosts"));
        }
        let ports = config.get_ports();
        if ports.len() > 1 && ports.len() != hosts.len() {
            return Err(invalid(
                "port",
                "must name one, or as many as there are hosts",
            ));
        }
        let port = |i| ports.get(i).or(ports.first()).copied().unwrap_or(5432);
        let hosts = hosts.into_iter().enumerate();
        Ok(Self(
            hosts
                .map(|(i, host)| ServerHost {
                    host,
                    address: addresses.get(i).copied(),
                    port: port(i),
                })
                .collect(),
        ))
    }
}

impl ServerHost {
    fn server(&self, common: &Config, tls: &Tls) -> Config {
        let mut config = common.clone();
        config.port(self.port);
        match &self.host {
            Host::Tcp(name) => {
                config.host(name).ssl_mode(tls.ssl_mode());
            }
            // PostgreSQL has no TLS on Unix sockets, and libpq ignores the mode.
            Host::Unix(path) => {
                config
                    .host_path(path)
                    .ssl_mode(tokio_postgres::config::SslMode::Disable);
            }
        }
        if let Some(address) = self.address {
            config.hostaddr(address);
        }
        config
    }
}

fn mode(value: &str) -> Result<Mode> {
    Ok(match value {
        "disable" => Mode::Disable,
        "prefer" => Mode::Prefer,
        "require" => Mode::Require,
        "verify-ca" => Mode::VerifyCa,
        "verify-full" => Mode::VerifyFull,
        _ => {
            let values = "must be disable, prefer, require, verify-ca or verify-full";
            return Err(invalid("sslmode", values));
        }
    })
}

fn session(value: &str) -> Result<TargetSessionAttrs> {
    match value {
        "any" => Ok(TargetSessionAttrs::Any),
        "read-write" => Ok(TargetSessionAttrs::ReadWrite),
        _ => Err(invalid("target_session_attrs", "must be read-write or any")),
    }
}

fn not_empty(name: &str, value: String) -> Result<String> {
    if value.is_empty() || value.contains('\0') {
        return Err(invalid(name, "must be a file"));
    }
    Ok(value)
}

fn decode(text: &str) -> Result<String> {
    let decoded = percent_decode_str(text).decode_utf8();
    Ok(decoded
        .map_err(|_| Error::Url(INVALID.into()))?
        .into_owned())
}

fn invalid(name: &str, reason: &str) -> Error {
    Error::Url(format!(
        "the parameter {name} of the PostgreSQL address {reason}"
    ))
}

/// Does not repeat the name: after an @ in the password that is not written as %40, it may be a
/// part of the password.
fn unknown() -> Error {
    Error::Url(format!(
        "the PostgreSQL address has an unknown parameter; there are sslmode, sslrootcert, sslcert, \
         sslkey, target_session_attrs, host, hostaddr, port, {}",
        FORWARDED.join(", ")
    ))
}

#[cfg(test)]
mod tests {
    use tokio_postgres::config::SslMode;

    use super::*;

    fn parsed(url: &str) -> Address {
        url.parse().expect(url)
    }

    fn refused(url: &str) -> String {
        let error = url.parse::<Address>().err().expect(url).to_string();
        assert!(!error.contains("hunter2"), "{error}");
        error
    }

    #[test]
    fn without_sslmode_tls_is_preferred() {
        let address = parsed("postgres://u@h/d");
        assert_eq!(address.tls.mode(), Mode::Prefer);
        assert_eq!(address.servers[0].get_ssl_mode(), SslMode::Prefer);
    }

    #[test]
    fn sslmode_takes_the_modes_of_libpq() {
        for (mode, sent) in [
            ("disable", SslMode::Disable),
            ("prefer", SslMode::Prefer),
            ("require", SslMode::Require),
            ("verify-ca&sslrootcert=a.crt", SslMode::Require),
            ("verify-full&sslrootcert=a.crt", SslMode::Require),
        ] {
            let address = parsed(&format!("postgres://u@h/d?sslmode={mode}"));
            assert_eq!(address.servers[0].get_ssl_mode(), sent, "{mode}");
        }
    }

    #[test]
    fn sslrootcert_with_require_means_verify_ca() {
        let mode = |query| parsed(&format!("postgres://u@h/d?{query}")).tls.mode();
        assert_eq!(mode("sslmode=require"), Mode::Require);
        assert_eq!(mode("sslmode=require&sslrootcert=a.crt"), Mode::VerifyCa);
        assert_eq!(mode("sslrootcert=system"), Mode::VerifyFull);
    }

    #[test]
    fn a_wrong_value_names_its_parameter() {
        for (query, name) in [
            ("sslmode=verify", "sslmode"),
            ("sslmode=", "sslmode"),
            ("sslmode=verify-full", "sslrootcert"),
            ("sslmode=require&sslrootcert=system", "sslrootcert"),
            ("sslrootcert=", "sslrootcert"),
            ("sslcert=a.crt", "sslkey"),
            ("sslkey=a.key", "sslcert"),
            ("target_session_attrs=read-only", "target_session_attrs"),
            ("connect_timeout=soon", "connect_timeout"),
            ("load_balance_hosts=yes", "load_balance_hosts"),
            ("hostaddr=127.0.0.1,127.0.0.2", "hostaddr"),
        ] {
            let error = refused(&format!("postgres://u:hunter2@h/d?{query}"));
            assert!(error.contains(&format!("parameter {name} ")), "{error}");
        }
        let error = refused("postgres://u:hunter2@h/d?sslcrl=a");
        assert!(error.contains("unknown parameter"), "{error}");
        // The @ in the password should be %40.
        refused("postgres://u:a@?hunter2=x@h/d");
    }

    #[test]
    fn several_hosts_have_their_ports_and_require_a_primary() {
        let address = parsed("postgres://u:p@one,two:5433,[::1]:5434/d");
        assert_eq!(
            address.to_string(),
            "postgres://u@one:5432,two:5433,[::1]:5434/d"
        );
        for server in &address.servers {
            assert_eq!(
                server.get_target_session_attrs(),
                TargetSessionAttrs::ReadWrite
            );
            assert_eq!(server.get_password(), Some(&b"p"[..]));
            assert_eq!(server.get_hosts().len(), 1);
        }
        let any = parsed("postgres://u@one,two/d?target_session_attrs=any");
        assert_eq!(
            any.servers[0].get_target_session_attrs(),
            TargetSessionAttrs::Any
        );
    }

    #[test]
    fn hostaddr_replaces_the_host() {
        let address = parsed("postgres://u@/d?hostaddr=127.0.0.9&port=6000");
        assert_eq!(address.to_string(), "postgres://u@127.0.0.9:6000/d");
        let both = parsed("postgres://u@name/d?hostaddr=127.0.0.9");
        assert_eq!(both.to_string(), "postgres://u@name:5432/d");
        assert_eq!(both.servers[0].get_hostaddrs().len(), 1);
    }

    #[test]
    fn a_unix_socket_has_no_tls() {
        let address = parsed("postgres://u@%2Frun%2Fpostgresql/d?sslmode=require");
        assert_eq!(address.servers[0].get_ssl_mode(), SslMode::Disable);
    }
}
