//! Ranges of IP addresses, as strings of bits: an address is in a range if its bits begin with
//! those of the range. So an index on the bits answers whether an address is banned.

use std::net::IpAddr;

use ipnet::IpNet;
use kernel::inline_schema;
use kernel::input::{Fault, Place, Raw, Rule, TextFormat, text};

/// The shortest prefixes that can be banned. Larger networks are those of whole providers.
const SHORTEST_IPV4: u8 = 16;
const SHORTEST_IPV6: u8 = 32;
/// The prefix length of IPv4-mapped IPv6 addresses.
const MAPPED_PREFIX: u8 = 96;

/// An address or a network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IpRange {
    /// As it was given.
    text: String,
    bits: String,
}

impl IpRange {
    /// Parses an address, or a network without bits after its prefix. An IPv4-mapped range is the
    /// range of IPv4.
    pub fn parse(text: &str) -> Option<Self> {
        let network = match text.parse::<IpAddr>() {
            Ok(address) => IpNet::from(address),
            Err(_) => text.parse().ok()?,
        };
        if network.addr() != network.network() {
            return None;
        }
        let (address, length) = match (network.addr().to_canonical(), network.prefix_len()) {
            (address @ IpAddr::V4(_), MAPPED_PREFIX..) if matches!(network, IpNet::V6(_)) => {
                (address, network.prefix_len() - MAPPED_PREFIX)
            }
            _ => (network.addr(), network.prefix_len()),
        };
        let shortest = match address {
            IpAddr::V4(_) => SHORTEST_IPV4,
            IpAddr::V6(_) => SHORTEST_IPV6,
        };
        (length >= shortest).then(|| Self {
            text: text.to_owned(),
            bits: first_bits(address, length),
        })
    }

    /// A range that was parsed before it was stored.
    pub fn from_stored(text: String, bits: String) -> Self {
        Self { text, bits }
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn bits(&self) -> &str {
        &self.bits
    }
}

/// All bits of an address.
pub fn bits(address: IpAddr) -> String {
    first_bits(address.to_canonical(), 128)
}

/// The beginning of bits that those of every range around them have, too.
pub fn network(bits: &str) -> &str {
    let shortest = match bits.starts_with('4') {
        true => SHORTEST_IPV4,
        false => SHORTEST_IPV6,
    };
    &bits[..bits.len().min(1 + usize::from(shortest))]
}

/// The version of IP, and then the first bits of an address, at most all.
fn first_bits(address: IpAddr, length: u8) -> String {
    let mut bits = match address {
        IpAddr::V4(address) => format!("4{:032b}", address.to_bits()),
        IpAddr::V6(address) => format!("6{:0128b}", address.to_bits()),
    };
    bits.truncate(1 + usize::from(length));
    bits
}

impl Rule for IpRange {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let range = Self::parse(&text(raw, place)?);
        if range.is_none() {
            place.add(Fault::wrong_format(TextFormat::IpRange));
        }
        range
    }
}

inline_schema!(IpRange, {
    "type": "string",
    "examples": ["192.0.2.7", "192.0.2.0/24", "2001:db8::/48"],
});

/// One address, to look for the ranges that it is in.
#[derive(Clone, Copy, Debug)]
pub struct IpAddress(pub IpAddr);

impl Rule for IpAddress {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let address = text(raw, place)?.parse().ok().map(Self);
        if address.is_none() {
            place.add(Fault::wrong_format(TextFormat::IpAddress));
        }
        address
    }
}

inline_schema!(IpAddress, { "type": "string", "format": "ip" });

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, Ipv6Addr};

    use proptest::prelude::*;

    use super::*;

    fn contains(range: &str, address: IpAddr) -> bool {
        let range = IpRange::parse(range).expect(range);
        bits(address).starts_with(range.bits())
    }

    #[test]
    fn a_range_has_a_prefix_that_is_long_enough_and_no_bits_after_it() {
        for text in [
            "192.0.2.7",
            "192.0.0.0/16",
            "192.0.2.7/32",
            "2001:db8::/32",
            "2001:db8::1",
            "2001:db8::1/128",
            "::ffff:192.0.2.0/120",
            "::ffff:192.0.0.0/112",
        ] {
            assert!(IpRange::parse(text).is_some(), "{text}");
        }
        for text in [
            "",
            "192.0.0.0/15",
            "192.0.2.7/24",
            "192.0.2.0/33",
            "2001::/31",
            "2001:db8::1/64",
            "::ffff:192.0.0.0/111",
            "::ffff:192.0.2.7/120",
            "localhost",
            "192.0.2",
            "fe80::1%1",
            " 192.0.2.7",
        ] {
            assert_eq!(IpRange::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_mapped_range_is_that_of_ipv4() {
        let address = IpAddr::from([192, 0, 2, 9]);
        let mapped = IpAddr::from(Ipv4Addr::new(192, 0, 2, 9).to_ipv6_mapped());
        for range in ["192.0.2.0/24", "::ffff:192.0.2.0/120"] {
            assert!(contains(range, address), "{range}");
            assert!(contains(range, mapped), "{range}");
        }
        assert!(!contains("2001:db8::/32", address));
    }

    /// Whether an address is in a network, by arithmetic on numbers of its own.
    fn is_inside(network: u128, length: u32, width: u32, address: u128) -> bool {
        let size = 1_u128 << (width - length).min(127);
        match width - length {
            128 => true,
            _ => address >= network && address - network < size,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn ipv4_ranges_hold_the_addresses_that_arithmetic_says(
            base: u32, length in 16_u32..=32, near in -70_000_i64..70_000, random: u32, use_near: bool,
        ) {
            let network = base >> (32 - length) << (32 - length);
            let near = u32::try_from((i64::from(network) + near).rem_euclid(1 << 32)).expect("32 bits");
            let address = if use_near { near } else { random };
            let range = format!("{}/{length}", Ipv4Addr::from_bits(network));
            let expected = is_inside(network.into(), length, 32, address.into());
            let address = Ipv4Addr::from_bits(address);
            prop_assert_eq!(contains(&range, address.into()), expected);
            prop_assert_eq!(contains(&range, address.to_ipv6_mapped().into()), expected);
            let mapped = format!("{}/{}", Ipv4Addr::from_bits(network).to_ipv6_mapped(), length + 96);
            prop_assert_eq!(contains(&mapped, address.into()), expected);
        }

        #[test]
        fn ipv6_ranges_hold_the_addresses_that_arithmetic_says(
            base: u128, length in 32_u32..=128, near: i64, random: u128, use_near: bool,
        ) {
            // Inside ::ffff:0:0/96 it would be a range of IPv4.
            let network = (base | 1 << 125) >> (128 - length) << (128 - length);
            let near = network.wrapping_add_signed(near.into());
            let address = if use_near { near } else { random };
            prop_assume!(Ipv6Addr::from_bits(address).to_ipv4_mapped().is_none());
            let range = format!("{}/{length}", Ipv6Addr::from_bits(network));
            let expected = is_inside(network, length, 128, address);
            prop_assert_eq!(contains(&range, Ipv6Addr::from_bits(address).into()), expected);
        }
    }
}
