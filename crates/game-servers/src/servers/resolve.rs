//! Resolves the address of a game server as people write it: a host name, often with a port.

use std::net::IpAddr;
use std::time::Duration;

use db::Conn;
use webhook_client::Resolve;

use super::networks::{Networks, Refusal};
use crate::servers;
use kernel::input::{Fault, Faults, Place, Raw, Rule, TextFormat, text};
use kernel::list::Window;
use kernel::types::IpNetworks;
use kernel::{Result, inline_schema, input};

const TIME_LIMIT: Duration = Duration::from_secs(5);
/// The limits of DNS for a name and for the parts between its dots.
const MAX_NAME: usize = 253;
const MAX_LABEL: usize = 63;

input! {
    /// The address of a game server as people write it.
    pub struct ServerAddress {
        /// A host name or an IP address, with or without a port: `play.example.org`,
        /// `play.example.org:27015`, `192.0.2.5:27015`, `[2001:db8::1]:27015`.
        address: HostAddress,
    }
}

/// A host with or without a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostAddress {
    host: Host,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Host {
    Address(IpAddr),
    Name(String),
}

impl HostAddress {
    fn parse(text: &str) -> Option<Self> {
        // An IPv6 address with a port is in brackets, because it contains colons itself.
        let (host, port) = match text.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']')?;
                host.parse::<std::net::Ipv6Addr>().ok()?;
                match rest {
                    "" => (host, None),
                    _ => (host, Some(rest.strip_prefix(':')?)),
                }
            }
            None => match text.split_once(':') {
                Some((host, port)) if !port.contains(':') => (host, Some(port)),
                _ => (text, None),
            },
        };
        let port = match port {
            Some(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
                Some(digits.parse().ok().filter(|port| *port > 0)?)
            }
            Some(_) => return None,
            None => None,
        };
        let host = match host.parse::<IpAddr>() {
            Ok(address) => Host::Address(address),
            Err(_) => Host::Name(name(host)?),
        };
        Some(Self { host, port })
    }
}

/// A host name in ASCII.
fn name(text: &str) -> Option<String> {
    let is_label = |label: &str| {
        let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        (1..=MAX_LABEL).contains(&label.len()) && label.bytes().all(allowed)
    };
    let absolute = text.strip_suffix('.').unwrap_or(text);
    let is_name = absolute.len() <= MAX_NAME && absolute.split('.').all(is_label);
    is_name.then(|| text.to_owned())
}

impl Rule for HostAddress {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        let parsed = Self::parse(text.trim());
        if parsed.is_none() {
            place.add(Fault::wrong_format(TextFormat::HostAddress));
        }
        parsed
    }
}

inline_schema!(HostAddress, { "type": "string", "minLength": 1, "maxLength": 300 });

/// The result of a look-up.
pub struct Resolved {
    pub ip: IpAddr,
    pub port: Option<u16>,
    pub refusal: Option<Refusal>,
}

/// Finds the IP address of a server. Of several, one that may be contacted is preferred, and then
/// an IPv4 address, since many games know no other.
pub async fn resolve(
    resolver: &dyn Resolve,
    networks: &Networks,
    input: ServerAddress,
) -> Result<Resolved> {
    let ServerAddress { address } = input;
    let found = match address.host {
        Host::Address(address) => vec![address],
        Host::Name(name) => {
            let found = tokio::time::timeout(TIME_LIMIT, resolver.resolve(&name)).await;
            found.ok().and_then(Result::ok).unwrap_or_default()
        }
    };
    let found = found.into_iter().map(|address| address.to_canonical());
    let best = found.min_by_key(|address| (!networks.allow(*address), address.is_ipv6()));
    let ip = best.ok_or_else(|| Faults::one("address", Fault::UnresolvedName {}))?;
    Ok(Resolved {
        ip,
        port: address.port,
        refusal: networks.refusal(ip),
    })
}

/// The value of `--server-networks` with which this address may be contacted, too. An address that
/// no value allows has none.
pub async fn networks_with(
    conn: &mut Conn,
    networks: &Networks,
    resolved: &Resolved,
) -> Result<Option<Vec<String>>> {
    let mut named: Vec<String> = match (&resolved.refusal, networks) {
        (None | Some(Refusal::NotAHost), _) => return Ok(None),
        (_, Networks::Named(named)) => named.to_texts(),
        // Naming a network excludes all others, so those of the other servers must be named.
        (_, Networks::Elsewhere) => {
            let servers = servers::list(conn, Window::ALL).await?;
            let addresses = servers
                .iter()
                .filter_map(|server| server.ip.as_str().parse().ok());
            let contacted = addresses.filter(|address: &IpAddr| networks.allow(*address));
            let contacted = contacted.filter_map(|address| address.to_string().parse().ok());
            contacted.collect::<IpNetworks>().to_texts()
        }
    };
    named.push(resolved.ip.to_string());
    Ok(Some(named))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_may_have_a_port() {
        let address = |text: &str| Host::Address(text.parse().expect(text));
        let name = |text: &str| Host::Name(text.to_owned());
        for (text, host, port) in [
            ("play.example.org", name("play.example.org"), None),
            ("play.example.org.", name("play.example.org."), None),
            ("localhost:1", name("localhost"), Some(1)),
            ("a_b-c.example:65535", name("a_b-c.example"), Some(65535)),
            ("192.0.2.5", address("192.0.2.5"), None),
            ("192.0.2.5:27015", address("192.0.2.5"), Some(27015)),
            ("2001:db8::1", address("2001:db8::1"), None),
            ("[2001:db8::1]", address("2001:db8::1"), None),
            ("[2001:db8::1]:27015", address("2001:db8::1"), Some(27015)),
        ] {
            assert_eq!(HostAddress::parse(text), Some(HostAddress { host, port }));
        }
    }

    #[test]
    fn other_text_is_not_a_host() {
        let long = format!("{}.example", "x".repeat(64));
        let longer = vec!["x".repeat(60); 5].join(".");
        for text in [
            "",
            ":",
            ":27015",
            "host:",
            "host:0",
            "host:65536",
            "host:+1",
            "host:1:2",
            "a..b",
            ".a",
            "a b",
            "жёлудь.example",
            "http://host",
            "user@host",
            "host/path",
            "[::1",
            "[::1]27015",
            "[::1]:",
            "[192.0.2.5]:1",
            "[host]:1",
            "::1:x",
            "fe80::1%eth0",
            &long,
            &longer,
        ] {
            assert_eq!(HostAddress::parse(text), None, "{text}");
        }
    }
}
