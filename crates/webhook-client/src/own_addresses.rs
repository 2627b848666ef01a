//! The addresses of this machine.

use std::io;
use std::net::IpAddr;

/// Whether this machine has the address. Read each time, since addresses change.
pub fn is_own(address: IpAddr) -> bool {
    match own_addresses() {
        Ok(own) => own.contains(&address),
        Err(error) => {
            tracing::warn!(
                %error,
                "the addresses of this machine cannot be read, so only networks that \
                 --server-networks and --webhook-networks name are contacted"
            );
            true
        }
    }
}

/// The addresses of all interfaces.
pub fn own_addresses() -> io::Result<Vec<IpAddr>> {
    let interfaces = nix::ifaddrs::getifaddrs()?;
    Ok(interfaces
        .filter_map(|interface| {
            let address = interface.address?;
            let v4 = address.as_sockaddr_in().map(|v4| IpAddr::V4(v4.ip()));
            v4.or_else(|| address.as_sockaddr_in6().map(|v6| IpAddr::V6(v6.ip())))
        })
        .collect())
}
