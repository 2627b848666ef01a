//! Sets of addresses, written as the operator writes them.

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;

/// A list of networks such as `10.0.0.0/8, 2001:db8::/32, 192.0.2.7`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Networks(Vec<IpNet>);

impl Networks {
    /// Whether one of them holds `address`. An IPv4 address written as IPv6 is still IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        let address = address.to_canonical();
        self.0.iter().any(|network| network.contains(&address))
    }
}

impl FromStr for Networks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let networks = text.split(',').map(|part| network(part.trim()));
        networks.collect::<Result<_, _>>().map(Self)
    }
}

fn network(text: &str) -> Result<IpNet, String> {
    let network = text.parse::<IpNet>().ok();
    let network = network.or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from));
    network.ok_or_else(|| format!("{text:?} is no network such as 10.0.0.0/8"))
}

#[cfg(test)]
mod tests {
    use super::Networks;

    #[test]
    fn networks_and_single_addresses_are_told_apart_from_the_rest() {
        let networks: Networks = "10.0.0.0/8, 2001:db8::/32,192.0.2.7"
            .parse()
            .expect("a list");
        for (address, inside) in [
            ("10.255.0.1", true),
            ("11.0.0.1", false),
            ("192.0.2.7", true),
            ("192.0.2.8", false),
            ("2001:db8:1::1", true),
            ("2001:db9::1", false),
            ("::ffff:10.0.0.1", true),
            ("::ffff:11.0.0.1", false),
        ] {
            let address = address.parse().expect("an address");
            assert_eq!(networks.contains(address), inside, "{address}");
        }
    }

    #[test]
    fn what_is_no_network_is_named() {
        for text in ["", "10.0.0.0/33", "example.org", "10.0.0.0/8,", "10.0.0/8"] {
            assert!(text.parse::<Networks>().is_err(), "{text}");
        }
        let error = "10.0.0.0/8,nowhere".parse::<Networks>();
        assert_eq!(
            error.expect_err("no network"),
            "\"nowhere\" is no network such as 10.0.0.0/8"
        );
    }
}
