//! The networks in which game servers may be contacted.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use kernel::schema::JsonSchema;
use kernel::types::IpNetworks;
use serde::Serialize;
use webhook_client::{is_one_host, is_own, reached};

/// Addresses at which hosting providers serve a machine's credentials, besides link-local ones.
const METADATA: [IpAddr; 3] = [
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
];

/// The networks that may be contacted.
#[derive(Clone, Debug, Default)]
pub enum Networks {
    /// Any host except this machine and addresses that only it can reach.
    #[default]
    Elsewhere,
    /// The networks that the operator named.
    Named(IpNetworks),
}

impl Networks {
    /// Whether this address may be contacted. It must be the address of a single host.
    pub fn allow(&self, address: IpAddr) -> bool {
        self.refusal(address).is_none()
    }

    /// Why this address may not be contacted; `None` if it may.
    pub fn refusal(&self, address: IpAddr) -> Option<Refusal> {
        let address = reached(address);
        if !is_one_host(address) {
            return Some(Refusal::NotAHost);
        }
        let (is_refused, refusal) = match self {
            Self::Named(networks) => (!networks.contains(address), Refusal::NotNamed),
            Self::Elsewhere => (is_internal(address) || is_own(address), Refusal::Internal),
        };
        is_refused.then_some(refusal)
    }
}

/// Why an address may not be contacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
// Comments of variants are not doc comments: those would split the schema, which is one list.
pub enum Refusal {
    // Not the address of a single host.
    NotAHost,
    // An address of this machine, or one that only it can reach.
    Internal,
    // Outside the networks that the operator named.
    NotNamed,
}

fn is_internal(address: IpAddr) -> bool {
    let is_link_local = match address {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    };
    address.is_loopback() || is_link_local || METADATA.contains(&address)
}

#[cfg(test)]
mod tests {
    use webhook_client::own_addresses;

    use super::*;

    fn named(networks: &[&str]) -> Networks {
        let parsed = networks.iter().map(|text| text.parse().expect(text));
        Networks::Named(parsed.collect())
    }

    fn allows(networks: &Networks, address: &str) -> bool {
        networks.allow(address.parse().expect(address))
    }

    #[test]
    fn by_default_other_hosts_are_contacted() {
        for address in [
            "192.0.2.1",
            "10.1.2.3",
            "2001:db8::1",
            "fd00::1",
            "::ffff:192.0.2.1",
        ] {
            assert!(allows(&Networks::Elsewhere, address), "{address}");
        }
    }

    #[test]
    fn loopback_link_local_and_metadata_addresses_are_contacted_only_if_server_networks_names_them()
    {
        let all = named(&["0.0.0.0/0", "::/0"]);
        for address in [
            "127.0.0.1",
            "127.9.9.9",
            "::1",
            "::ffff:127.0.0.1",
            "64:ff9b::7f00:1",
            "169.254.169.254",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "fe80::1",
            "febf::1",
            "fd00:ec2::254",
            "fd20:ce::254",
            "100.100.100.200",
        ] {
            assert!(!allows(&Networks::Elsewhere, address), "{address}");
            assert!(!allows(&named(&["192.0.2.0/24"]), address), "{address}");
            assert!(allows(&all, address), "{address}");
        }
        assert!(allows(&named(&["127.0.0.0/8"]), "::ffff:127.0.0.1"));
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
            "::ffff:255.255.255.255",
        ] {
            assert!(!allows(&Networks::Elsewhere, address), "{address}");
            assert!(!allows(&all, address), "{address}");
        }
    }

    #[test]
    fn own_addresses_are_contacted_only_if_server_networks_names_them() {
        let own = own_addresses().expect("the interfaces of this machine");
        assert!(own.contains(&IpAddr::V4(Ipv4Addr::LOCALHOST)), "{own:?}");
        for address in own {
            assert!(!Networks::Elsewhere.allow(address), "{address}");
            let this = named(&[&address.to_string()]);
            assert!(this.allow(address), "{address}");
        }
    }
}
