//! Which addresses may be contacted.
//!
//! Public addresses may, and those that the operator names. Without this rule, a client that may
//! create webhooks could send requests to services which trust the network of this one.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// The networks that may be contacted besides public addresses.
#[derive(Clone, Debug, Default)]
pub struct Networks(Vec<IpNet>);

impl Networks {
    /// Public addresses, and those in the networks `named`.
    pub fn new(named: impl IntoIterator<Item = IpNet>) -> Self {
        Self(named.into_iter().collect())
    }

    /// Whether this address may be contacted. One that is not a single host never may.
    pub fn allow(&self, address: IpAddr) -> bool {
        let address = reached(address);
        let is_named = || self.0.iter().any(|network| network.contains(&address));
        is_one_host(address) && (is_public(address) || is_named())
    }
}

/// The address that packets arrive at: that of an IPv4-mapped address, or the one that a NAT64
/// gateway sends them to.
pub fn reached(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => match v6.octets() {
            [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d] => {
                IpAddr::V4(Ipv4Addr::new(a, b, c, d))
            }
            _ => IpAddr::V6(v6),
        },
        v4 => v4,
    }
}

pub fn is_one_host(address: IpAddr) -> bool {
    match address {
        // 0.0.0.0/8 is "this network".
        IpAddr::V4(v4) => !(v4.octets()[0] == 0 || v4.is_multicast() || v4.is_broadcast()),
        IpAddr::V6(v6) => !(v6.is_unspecified() || v6.is_multicast()),
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

/// By IANA's registry of special-purpose addresses.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    // Shared by the customers of a provider; some serve the credentials of machines there.
    let is_shared = a == 100 && (64..128).contains(&b);
    let is_protocol_assignment = (a, b, c) == (192, 0, 0);
    let is_relay = (a, b, c) == (192, 88, 99);
    let is_benchmark = a == 198 && (18..20).contains(&b);
    let is_reserved = a >= 240;
    !(a == 0
        || address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_multicast()
        || address.is_documentation()
        || is_shared
        || is_protocol_assignment
        || is_relay
        || is_benchmark
        || is_reserved)
}

/// Only 2000::/3 is in use on the internet. Inside of it, some networks are not, and others carry
/// packets to an IPv4 address that is part of the address.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let is_global = a & 0xe000 == 0x2000;
    // Teredo, benchmarks and identifiers that are no addresses.
    let is_protocol_assignment = a == 0x2001 && b < 0x200;
    let is_documentation = (a == 0x2001 && b == 0xdb8) || (a == 0x3fff && b < 0x1000);
    let is_6to4 = a == 0x2002;
    is_global && !(is_protocol_assignment || is_documentation || is_6to4)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(networks: &[&str]) -> Networks {
        Networks::new(networks.iter().map(|text| text.parse().expect(text)))
    }

    fn allows(networks: &Networks, address: &str) -> bool {
        networks.allow(address.parse().expect(address))
    }

    const PUBLIC: [&str; 6] = [
        "1.1.1.1",
        "172.32.0.1",
        "192.0.1.1",
        "::ffff:9.9.9.9",
        "64:ff9b::909:909",
        "2606:4700::1111",
    ];

    const NOT_PUBLIC: [&str; 36] = [
        "127.0.0.1",
        "127.9.9.9",
        "::1",
        "::ffff:127.0.0.1",
        "::ffff:7f00:1",
        "64:ff9b::7f00:1",
        "10.1.2.3",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "::ffff:192.168.1.1",
        "64:ff9b::c0a8:101",
        "169.254.169.254",
        "::ffff:169.254.169.254",
        "100.64.0.1",
        "100.100.100.200",
        "100.127.255.255",
        "192.0.0.192",
        "192.0.2.1",
        "192.88.99.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.7",
        "240.0.0.1",
        "fe80::1",
        "fd00:ec2::254",
        "fc00::1",
        "64:ff9b:1::1",
        "::7f00:1",
        "100::1",
        "2001::1",
        "2001:db8::1",
        "2002:7f00:1::",
        "3fff::1",
        "5f00::1",
    ];

    #[test]
    fn public_addresses_are_contacted() {
        for address in PUBLIC {
            assert!(allows(&Networks::default(), address), "{address}");
            assert!(allows(&named(&["10.0.0.0/8"]), address), "{address}");
        }
    }

    #[test]
    fn other_addresses_are_contacted_only_if_webhook_networks_names_them() {
        let all = named(&["0.0.0.0/0", "::/0"]);
        for address in NOT_PUBLIC {
            assert!(!allows(&Networks::default(), address), "{address}");
            assert!(!allows(&named(&["203.0.114.0/24"]), address), "{address}");
            assert!(allows(&all, address), "{address}");
        }
        let loopback = named(&["127.0.0.0/8"]);
        for address in ["127.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1"] {
            assert!(allows(&loopback, address), "{address}");
        }
        for address in ["::1", "10.0.0.1"] {
            assert!(!allows(&loopback, address), "{address}");
        }
    }

    #[test]
    fn unspecified_multicast_and_broadcast_addresses_are_never_contacted() {
        let all = named(&["0.0.0.0/0", "::/0"]);
        for address in [
            "0.0.0.0",
            "0.1.2.3",
            "255.255.255.255",
            "224.0.0.1",
            "239.1.2.3",
            "::",
            "ff02::1",
            "::ffff:0.0.0.0",
            "::ffff:224.0.0.1",
            "64:ff9b::",
        ] {
            assert!(!allows(&Networks::default(), address), "{address}");
            assert!(!allows(&all, address), "{address}");
        }
    }
}
