//! Networks of IPv4 and IPv6 addresses.

use std::fmt;
use std::net::{IpAddr, Ipv6Addr};
use std::str::FromStr;
use std::sync::Arc;

use ipnet::{IpNet, Ipv4Net};
use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::inline_schema;
use crate::input::{Fault, ListItems, Place, Raw, Rule, TextFormat, items, text};

/// The maximum number of networks in a list.
const MAX_NETWORKS: usize = 100;
/// The prefix length of IPv4-mapped IPv6 addresses.
const MAPPED_PREFIX: u8 = 96;

/// A network such as `10.0.0.0/8`, or a single address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network(IpNet);

impl Network {
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }

    fn covers(&self, other: &Self) -> bool {
        self.0.contains(&other.0)
    }
}

impl From<Network> for IpNet {
    fn from(network: Network) -> Self {
        network.0
    }
}

#[derive(Debug, thiserror::Error)]
#[error("{}", Fault::wrong_format(TextFormat::Network))]
pub struct NotANetwork;

/// Clears the bits after the prefix and turns an IPv4-mapped IPv6 network into the IPv4 network, as
/// in the comparison of addresses.
impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, NotANetwork> {
        let network = match text.parse::<IpAddr>() {
            Ok(address) => IpNet::from(address),
            Err(_) => text.parse::<IpNet>().map_err(|_| NotANetwork)?,
        };
        let network = match (network.addr().to_canonical(), network.prefix_len()) {
            (IpAddr::V4(address), MAPPED_PREFIX..) if matches!(network, IpNet::V6(_)) => {
                let length = network.prefix_len() - MAPPED_PREFIX;
                IpNet::V4(Ipv4Net::new(address, length).map_err(|_| NotANetwork)?)
            }
            _ => network,
        };
        Ok(Self(network.trunc()))
    }
}

/// A network of one address is written as the address.
impl fmt::Display for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.prefix_len() == self.0.max_prefix_len() {
            write!(f, "{}", self.0.addr())
        } else {
            write!(f, "{}", self.0)
        }
    }
}

/// A list of distinct networks. Cheap to clone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IpNetworks(Arc<[Network]>);

impl IpNetworks {
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }

    /// Returns `true` if each network of `other` is inside one of these.
    pub fn cover(&self, other: &Self) -> bool {
        let covered = |other| self.0.iter().any(|network| network.covers(other));
        other.0.iter().all(covered)
    }

    /// Reads the output of [`IpNetworks::to_stored`]. Invalid entries are skipped, so that a
    /// damaged list allows less, not more.
    pub fn from_stored(text: &str) -> Self {
        text.split(',')
            .filter_map(|item| item.parse().ok())
            .collect()
    }

    pub fn to_stored(&self) -> String {
        self.to_texts().join(",")
    }

    pub fn to_texts(&self) -> Vec<String> {
        self.0.iter().map(Network::to_string).collect()
    }
}

impl FromIterator<Network> for IpNetworks {
    fn from_iter<I: IntoIterator<Item = Network>>(networks: I) -> Self {
        let mut distinct: Vec<Network> = Vec::new();
        for network in networks {
            if !distinct.contains(&network) {
                distinct.push(network);
            }
        }
        Self(distinct.into())
    }
}

/// In a request, networks are a non-empty list.
impl Rule for IpNetworks {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let items = items(raw, place, ListItems::Networks, 1..=MAX_NETWORKS)?;
        let networks: Vec<Option<Network>> = items
            .iter()
            .enumerate()
            .map(|(i, item)| network(item, &mut place.inside(i)))
            .collect();
        networks.into_iter().collect()
    }
}

fn network(item: &RawValue, place: &mut Place<'_>) -> Option<Network> {
    let read = text(Raw::Json(item), place)?.parse();
    read.map_err(|_: NotANetwork| place.add(Fault::wrong_format(TextFormat::Network)))
        .ok()
}

inline_schema!(IpNetworks, {
    "type": "array",
    "items": { "type": "string", "examples": ["10.0.0.0/8", "2001:db8::/32", "192.0.2.7"] },
    "minItems": 1,
    "maxItems": MAX_NETWORKS,
});

impl Serialize for IpNetworks {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(Network::to_string))
    }
}

/// The unit of per-client limits: an IPv4 address or an IPv6 /64.
pub fn client_network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => address.into(),
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
    }
}

/// The IPv6 /48 of an address: the largest network that providers usually give to one customer.
pub fn customer_network(address: IpAddr) -> Option<IpAddr> {
    match address.to_canonical() {
        IpAddr::V4(_) => None,
        IpAddr::V6(address) => Some(Ipv6Addr::from_bits(address.to_bits() >> 80 << 80).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn networks(text: &str) -> IpNetworks {
        IpNetworks::from_stored(text)
    }

    fn address(text: &str) -> IpAddr {
        text.parse().expect(text)
    }

    #[test]
    fn a_network_is_read_in_any_form_and_written_in_one() {
        for (text, written) in [
            ("10.0.0.0/8", "10.0.0.0/8"),
            ("10.1.2.3/8", "10.0.0.0/8"),
            ("192.0.2.7", "192.0.2.7"),
            ("192.0.2.7/32", "192.0.2.7"),
            ("0.0.0.0/0", "0.0.0.0/0"),
            ("2001:DB8::/32", "2001:db8::/32"),
            ("2001:db8::1", "2001:db8::1"),
            ("::/0", "::/0"),
            ("::ffff:10.0.0.0/104", "10.0.0.0/8"),
            ("::ffff:192.0.2.7", "192.0.2.7"),
            ("::ffff:0:0/96", "0.0.0.0/0"),
            ("::ffff:0:0/95", "::fffe:0:0/95"),
        ] {
            let network: Network = text.parse().expect(text);
            assert_eq!(network.to_string(), written, "{text}");
            assert_eq!(networks(&network.to_string()).0[..], [network], "{text}");
        }
    }

    #[test]
    fn text_that_is_not_a_network_is_refused() {
        for text in [
            "",
            " ",
            "10",
            "10.0.0",
            "10.0.0.0/",
            "10.0.0.0/33",
            "10.0.0.0/-1",
            "10.0.0.0/8/8",
            "010.0.0.1",
            "::/129",
            "[::1]",
            "1.2.3.4:80",
            "localhost",
            "10.0.0.0 /8",
            "fe80::1%1",
        ] {
            assert!(text.parse::<Network>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_ipv4_mapped_address_is_in_an_ipv4_network() {
        let some = networks("10.0.0.0/8,2001:db8::/32,192.0.2.7");
        for inside in [
            "10.0.0.0",
            "10.255.255.255",
            "::ffff:10.1.2.3",
            "2001:db8::9",
            "192.0.2.7",
        ] {
            assert!(some.contains(address(inside)), "{inside}");
        }
        for outside in [
            "11.0.0.0",
            "9.255.255.255",
            "192.0.2.8",
            "2001:db9::",
            "::10.0.0.1",
            "::1",
        ] {
            assert!(!some.contains(address(outside)), "{outside}");
        }
        assert!(
            !networks("::/0").contains(address("::ffff:10.0.0.1")),
            "that is IPv4"
        );
        assert!(!IpNetworks::default().contains(address("10.0.0.1")));
    }

    #[test]
    fn networks_cover_the_networks_inside_them() {
        let some = networks("10.0.0.0/8,2001:db8::/32");
        for inside in [
            "10.0.0.0/8",
            "10.2.0.0/16,10.3.0.1",
            "2001:db8:1::/48,10.0.0.0/9",
            "",
        ] {
            assert!(some.cover(&networks(inside)), "{inside}");
        }
        for outside in ["0.0.0.0/0", "10.0.0.0/7", "10.0.0.1,11.0.0.1", "::/0"] {
            assert!(!some.cover(&networks(outside)), "{outside}");
        }
    }

    #[test]
    fn a_repeated_network_is_kept_once() {
        assert_eq!(networks("10.0.0.1/8,10.0.0.0/8,10.0.0.0").0.len(), 2);
    }
}
