//! Decides which addresses may be contacted.
//!
//! Public addresses of other machines may be contacted, and those that the operator names.
//! Otherwise a client that may create webhooks could send requests to services that trust the
//! network of this one, or to services of this machine that a firewall hides from others.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

use crate::is_own;

/// The networks that may be contacted besides public addresses.
#[derive(Clone, Debug)]
pub struct Networks {
    named: Vec<IpNet>,
    /// Whether this machine has an address.
    is_own: fn(IpAddr) -> bool,
}

impl Default for Networks {
    fn default() -> Self {
        Self::new([])
    }
}

impl Networks {
    /// Public addresses of other machines, and those in the networks `named`.
    pub fn new(named: impl IntoIterator<Item = IpNet>) -> Self {
        Self {
            named: named.into_iter().collect(),
            is_own,
        }
    }

    /// Lets this function decide which addresses this machine has: no test machine has a public
    /// one.
    #[cfg(any(test, feature = "testing"))]
    #[must_use]
    pub fn with_own(self, is_own: fn(IpAddr) -> bool) -> Self {
        Self { is_own, ..self }
    }

    /// Returns `true` if this address may be contacted. It must be a single host.
    pub fn allow(&self, address: IpAddr) -> bool {
        let address = reached(address);
        let is_named = self.named.iter().any(|network| network.contains(&address));
        is_one_host(address) && (is_named || is_public(address) && !(self.is_own)(address))
    }
}

/// The address that packets arrive at: the IPv4 address of an IPv4-mapped address, or the target of
/// a NAT64 gateway.
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

/// Follows IANA's registry of special-purpose addresses.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    // Shared by the customers of a provider. Some clouds serve machine credentials there.
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

/// Only 2000::/3 is in use on the internet. Some networks inside it are not, and others carry
/// packets to an IPv4 address that is part of the address.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let is_global = a & 0xe000 == 0x2000;
    // Teredo, benchmarks, and identifiers that are not addresses.
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
    fn own_addresses_are_contacted_only_if_webhook_networks_names_them() {
        let is_ninth = |address: IpAddr| address == IpAddr::V4(Ipv4Addr::new(9, 9, 9, 9));
        let default = Networks::default().with_own(is_ninth);
        let this = named(&["9.9.9.9/32"]).with_own(is_ninth);
        for address in ["9.9.9.9", "::ffff:9.9.9.9", "64:ff9b::909:909"] {
            assert!(!allows(&default, address), "{address}");
            assert!(allows(&this, address), "{address}");
        }
        assert!(allows(&default, "9.9.9.8"));
        // Unless a test says otherwise, they are those of this machine's interfaces.
        let asked = Networks::default().is_own;
        assert!(std::ptr::fn_addr_eq(asked, is_own as fn(IpAddr) -> bool));
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
