//! Addresses to listen on: an IP address and a port, or a common short form.

use std::net::{Ipv4Addr, SocketAddr};

/// Parses an address. Host names are not resolved: one may have several addresses, or none yet.
pub fn parse(text: &str) -> Result<SocketAddr, &'static str> {
    let address = match text.rsplit_once(':') {
        Some(("", port)) => with_port(Ipv4Addr::UNSPECIFIED, port),
        Some((host, port)) if host.eq_ignore_ascii_case("localhost") => {
            with_port(Ipv4Addr::LOCALHOST, port)
        }
        _ => text.parse().ok(),
    };
    address.ok_or(
        "it must be an IP address and a port, such as 127.0.0.1:8080 or [::1]:8080; \
         localhost:8080 and :8080, for all IPv4 addresses, work too",
    )
}

fn with_port(ip: Ipv4Addr, port: &str) -> Option<SocketAddr> {
    let port: u16 = port.parse().ok()?;
    Some(SocketAddr::from((ip, port)))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn an_address_needs_a_port_and_may_leave_the_host_out() {
        for (text, address) in [
            ("127.0.0.1:8080", Some("127.0.0.1:8080")),
            ("[::1]:8080", Some("[::1]:8080")),
            ("localhost:8080", Some("127.0.0.1:8080")),
            ("LocalHost:0", Some("127.0.0.1:0")),
            (":8080", Some("0.0.0.0:8080")),
            (":65535", Some("0.0.0.0:65535")),
            ("", None),
            (":", None),
            (":65536", None),
            ("8080", None),
            ("localhost", None),
            ("localhost:", None),
            ("localhost:http", None),
            ("example.com:8080", None),
            ("::1", None),
            ("127.0.0.1", None),
        ] {
            let parsed = parse(text).ok().map(|parsed| parsed.to_string());
            assert_eq!(parsed.as_deref(), address, "{text}");
        }
    }
}
