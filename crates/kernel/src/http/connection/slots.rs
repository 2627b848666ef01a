//! Counts open connections, in total and per address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;

use metrics::Gauge;
use parking_lot::Mutex;

use crate::types::IpNetworks;
use crate::types::client_network;

/// The slots of open connections.
pub struct Slots {
    connections: usize,
    per_address: usize,
    /// Proxies are exempt: many clients share the address of a proxy.
    proxies: IpNetworks,
    open: Mutex<Open>,
    gauge: Gauge,
}

/// Counts of open connections. Their number bounds its memory.
#[derive(Default)]
struct Open {
    connections: usize,
    by_network: HashMap<IpAddr, usize>,
}

/// The limit that refused a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    Service,
    Address,
}

impl Full {
    pub fn label(self) -> &'static str {
        match self {
            Self::Service => "connections",
            Self::Address => "connections_per_address",
        }
    }
}

impl Slots {
    pub fn new(
        connections: usize,
        per_address: usize,
        proxies: &IpNetworks,
        gauge: Gauge,
    ) -> Arc<Self> {
        Arc::new(Self {
            connections,
            per_address,
            proxies: proxies.clone(),
            open: Mutex::default(),
            gauge,
        })
    }

    /// No slots at all.
    pub fn none() -> Arc<Self> {
        Self::new(0, 0, &IpNetworks::default(), Gauge::noop())
    }

    /// Takes a slot for a connection from this address. Dropping it frees it.
    pub fn take(self: &Arc<Self>, peer: IpAddr) -> Result<Slot, Full> {
        let is_counted = !self.proxies.contains(peer);
        let network = is_counted.then(|| client_network(peer));
        let mut open = self.open.lock();
        if open.connections >= self.connections {
            return Err(Full::Service);
        }
        if let Some(network) = network {
            let count = open.by_network.get(&network).copied().unwrap_or(0);
            if count >= self.per_address {
                return Err(Full::Address);
            }
            open.by_network.insert(network, count + 1);
        }
        open.connections += 1;
        self.gauge.increment(1.0);
        Ok(Slot {
            slots: Arc::clone(self),
            network,
        })
    }
}

pub struct Slot {
    slots: Arc<Slots>,
    /// `None` for a proxy.
    network: Option<IpAddr>,
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut open = self.slots.open.lock();
        open.connections -= 1;
        self.slots.gauge.decrement(1.0);
        let Some(network) = self.network else {
            return;
        };
        if let Some(count) = open.by_network.get_mut(&network) {
            *count -= 1;
            if *count == 0 {
                open.by_network.remove(&network);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(connections: usize, per_address: usize) -> Arc<Slots> {
        let proxies = IpNetworks::from_stored("10.0.0.0/8");
        Slots::new(connections, per_address, &proxies, Gauge::noop())
    }

    fn take(slots: &Arc<Slots>, peer: &str) -> Result<Slot, Full> {
        slots.take(peer.parse().expect(peer))
    }

    #[test]
    fn an_address_has_its_own_limit_and_a_proxy_has_none() {
        let slots = slots(5, 2);
        let _held = [take(&slots, "192.0.2.1"), take(&slots, "192.0.2.1")];
        assert_eq!(take(&slots, "192.0.2.1").err(), Some(Full::Address));
        let _other = take(&slots, "192.0.2.2").expect("another address");
        let _proxy = [take(&slots, "10.0.0.1"), take(&slots, "10.0.0.1")];
        assert_eq!(take(&slots, "10.0.0.1").err(), Some(Full::Service));
    }

    #[test]
    fn ipv6_addresses_count_by_their_64_network() {
        let slots = slots(9, 1);
        let _held = take(&slots, "2001:db8:0:1::1").expect("a slot");
        assert_eq!(
            take(&slots, "2001:db8:0:1:ffff::2").err(),
            Some(Full::Address)
        );
        assert!(take(&slots, "2001:db8:0:2::1").is_ok());
        let _mapped = take(&slots, "::ffff:192.0.2.1").expect("a slot");
        assert_eq!(take(&slots, "192.0.2.1").err(), Some(Full::Address));
    }

    #[test]
    fn a_dropped_slot_is_free_and_uses_no_memory() {
        let slots = slots(2, 1);
        for _ in 0..10 {
            let one = take(&slots, "192.0.2.1").expect("a slot");
            let two = take(&slots, "192.0.2.2").expect("a slot");
            assert!(take(&slots, "192.0.2.3").is_err());
            drop((one, two));
        }
        let open = slots.open.lock();
        assert_eq!((open.connections, open.by_network.len()), (0, 0));
    }
}
