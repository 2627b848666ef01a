//! Which addresses game servers may be contacted at.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use kernel::types::IpNetworks;
use webhook_client::{is_one_host, reached};

/// Where hosting providers serve the credentials of a machine, besides link-local addresses.
const METADATA: [IpAddr; 3] = [
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
    IpAddr::V6(Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254)),
];

/// The networks that may be contacted.
#[derive(Clone, Debug, Default)]
pub enum Networks {
    /// Any host but this machine and what only this machine can reach.
    #[default]
    Elsewhere,
    /// The operator has named these.
    Named(IpNetworks),
}

impl Networks {
    /// Whether this address may be contacted. Addresses that are not a single host never are.
    pub fn allow(&self, address: IpAddr) -> bool {
        let address = reached(address);
        if !is_one_host(address) {
            return false;
        }
        match self {
            Self::Named(networks) => networks.contains(address),
            Self::Elsewhere => !is_internal(address) && !is_own(address),
        }
    }
}

fn is_internal(address: IpAddr) -> bool {
    let is_link_local = match address {
        IpAddr::V4(v4) => v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_unicast_link_local(),
    };
    address.is_loopback() || is_link_local || METADATA.contains(&address)
}

/// Whether it is an address of this machine. Asked each time, since addresses come and go.
fn is_own(address: IpAddr) -> bool {
    match own_addresses() {
        Ok(own) => own.contains(&address),
        Err(error) => {
            tracing::warn!(
                %error,
                "the addresses of this machine cannot be read, so no game server is contacted; \
                 name their networks with --server-networks"
            );
            true
        }
    }
}

fn own_addresses() -> nix::Result<Vec<IpAddr>> {
    let interfaces = nix::ifaddrs::getifaddrs()?;
    Ok(interfaces
        .filter_map(|interface| {
            let address = interface.address?;
            let v4 = address.as_sockaddr_in().map(|v4| IpAddr::V4(v4.ip()));
            v4.or_else(|| address.as_sockaddr_in6().map(|v6| IpAddr::V6(v6.ip())))
        })
        .collect())
}

#[cfg(test)]
mod tests {
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
