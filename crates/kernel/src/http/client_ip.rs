//! The IP address of a client: the peer of the connection, or the address that a trusted proxy
//! reports in `X-Forwarded-For`.

use std::net::{IpAddr, SocketAddr};

use axum::http::{HeaderMap, HeaderName};

use crate::types::IpNetworks;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The right-most address that is not a trusted proxy.
///
/// Each proxy appends the address of its own client to `X-Forwarded-For`; the entries before that
/// can be forged. So the header is read from its end, for as long as the address found is a trusted
/// proxy.
pub fn resolve(peer: IpAddr, headers: &HeaderMap, trusted: &IpNetworks) -> IpAddr {
    let mut address = peer.to_canonical();
    if !trusted.contains(address) {
        return address;
    }
    let lines = headers.get_all(FORWARDED_FOR).iter().rev();
    let mut entries = lines.flat_map(|line| line.as_bytes().rsplit(|byte| *byte == b','));
    while trusted.contains(address)
        && let Some(next) = entries.next().and_then(parse_entry)
    {
        address = next;
    }
    address
}

/// Returns `true` if a trusted proxy reports that its client's connection is encrypted. Each proxy
/// appends to the header or replaces it, so the last entry comes from the nearest proxy.
pub fn has_https_proxy(peer: IpAddr, headers: &HeaderMap, trusted: &IpNetworks) -> bool {
    if !trusted.contains(peer.to_canonical()) {
        return false;
    }
    let last = headers.get_all(FORWARDED_PROTO).iter().next_back();
    let last = last.and_then(|line| line.as_bytes().rsplit(|byte| *byte == b',').next());
    last.is_some_and(|entry| entry.trim_ascii().eq_ignore_ascii_case(b"https"))
}

/// Parses an entry. Some proxies add a port, and brackets around IPv6.
fn parse_entry(entry: &[u8]) -> Option<IpAddr> {
    let entry = std::str::from_utf8(entry).ok()?.trim();
    let bare = entry
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    let address = match bare {
        Some(bare) => bare.parse().map(IpAddr::V6).ok(),
        None => entry.parse().ok(),
    };
    let with_port = || entry.parse::<SocketAddr>().ok().map(|whole| whole.ip());
    address
        .or_else(with_port)
        .map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    /// Resolves with 10.0.0.0/8 and 2001:db8::/32 as trusted proxies.
    fn found(peer: &str, lines: &[&str]) -> String {
        let trusted = IpNetworks::from_stored("10.0.0.0/8,2001:db8::/32");
        let mut headers = HeaderMap::new();
        for line in lines {
            let line = HeaderValue::from_bytes(line.as_bytes()).expect("a value");
            headers.append(FORWARDED_FOR, line);
        }
        resolve(peer.parse().expect(peer), &headers, &trusted).to_string()
    }

    #[test]
    fn https_is_decided_by_the_nearest_trusted_proxy() {
        let trusted = IpNetworks::from_stored("10.0.0.0/8");
        for (peer, value, expected) in [
            ("10.0.0.1", "https", true),
            ("10.0.0.1", "HTTPS", true),
            ("10.0.0.1", "http, https", true),
            ("10.0.0.1", "https, http", false),
            ("10.0.0.1", "http", false),
            ("192.0.2.1", "https", false),
        ] {
            let mut headers = HeaderMap::new();
            headers.append(FORWARDED_PROTO, HeaderValue::from_static(value));
            let peer = peer.parse().expect(peer);
            assert_eq!(
                has_https_proxy(peer, &headers, &trusted),
                expected,
                "{value}"
            );
        }
    }

    #[test]
    fn x_forwarded_for_of_an_untrusted_peer_is_ignored() {
        assert_eq!(found("192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
        assert_eq!(found("192.0.2.1", &["10.0.0.9"]), "192.0.2.1");
        assert_eq!(found("::ffff:192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
    }

    #[test]
    fn the_last_untrusted_address_before_the_proxies_is_the_client() {
        for (lines, caller) in [
            (&["198.51.100.7"][..], "198.51.100.7"),
            (&["198.51.100.7, 10.0.0.2"], "198.51.100.7"),
            (&["198.51.100.7", "10.0.0.2"], "198.51.100.7"),
            (
                &["198.51.100.7,10.0.0.3", "10.0.0.2, 2001:db8::5"],
                "198.51.100.7",
            ),
            // A forged entry comes before the one that the proxy appends.
            (&["10.0.0.9, 198.51.100.7"], "198.51.100.7"),
            (&["203.0.113.1, 198.51.100.7, 10.0.0.2"], "198.51.100.7"),
            (&["203.0.113.1", "198.51.100.7"], "198.51.100.7"),
        ] {
            assert_eq!(found("10.0.0.1", lines), caller, "{lines:?}");
            assert_eq!(found("::ffff:10.0.0.1", lines), caller, "{lines:?}");
        }
    }

    #[test]
    fn with_only_trusted_proxies_the_first_is_the_client() {
        assert_eq!(found("10.0.0.1", &[]), "10.0.0.1");
        assert_eq!(found("10.0.0.1", &["10.0.0.3, 10.0.0.2"]), "10.0.0.3");
    }

    #[test]
    fn ports_and_brackets_are_accepted() {
        for (entry, caller) in [
            ("198.51.100.7:4711", "198.51.100.7"),
            (" \t198.51.100.7 ", "198.51.100.7"),
            ("2001:db9::7", "2001:db9::7"),
            ("[2001:db9::7]", "2001:db9::7"),
            ("[2001:db9::7]:4711", "2001:db9::7"),
            ("::ffff:198.51.100.7", "198.51.100.7"),
            ("[::ffff:198.51.100.7]:4711", "198.51.100.7"),
        ] {
            assert_eq!(found("10.0.0.1", &[entry]), caller, "{entry}");
        }
    }

    #[test]
    fn an_unreadable_entry_ends_the_search() {
        for bad in [
            "",
            "unknown",
            "198.51.100.7:",
            "198.51.100.7:99999",
            "[198.51.100.7]",
            "[2001:db9::7",
            "198.51.100",
            "_hidden",
            "for=198.51.100.7",
            "198.51.100.7 198.51.100.8",
            "\u{e9}",
        ] {
            let line = format!("203.0.113.1, {bad}, 10.0.0.2");
            assert_eq!(found("10.0.0.1", &[&line]), "10.0.0.2", "{bad}");
            let line = format!("203.0.113.1, {bad}");
            assert_eq!(found("10.0.0.1", &[&line]), "10.0.0.1", "{bad}");
        }
    }
}
