//! Restrictions of a key: its expiry, the networks it may be used from, and its rate limit.

use std::net::IpAddr;

use serde::Serialize;

use crate::types::{IpNetworks, Timestamp};

/// The restrictions of a key; `None` means unrestricted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Restrictions {
    pub expires_at: Option<Timestamp>,
    pub allowed_ips: Option<IpNetworks>,
    pub requests_per_second: Option<u32>,
}

impl Restrictions {
    /// Returns `true` if a key may be used now and from this address.
    pub fn allow(&self, now: Timestamp, ip: Option<IpAddr>) -> bool {
        let in_time = self.expires_at.is_none_or(|end| now < end);
        let is_inside = |allowed: &IpNetworks| ip.is_some_and(|ip| allowed.contains(ip));
        in_time && self.allowed_ips.as_ref().is_none_or(is_inside)
    }

    /// Returns `true` if `other` allows every use that these restrictions allow. Rate limits are
    /// not compared; each key has its own.
    pub fn are_within(&self, other: &Self) -> bool {
        let in_time = fits_in(self.expires_at, other.expires_at, |end, other| end <= other);
        let (own, others) = (self.allowed_ips.as_ref(), other.allowed_ips.as_ref());
        in_time && fits_in(own, others, |own, others| others.cover(own))
    }

    /// Returns `true` if the rate limit is at most that of `other`.
    pub fn is_no_faster_than(&self, other: &Self) -> bool {
        let (own, others) = (self.requests_per_second, other.requests_per_second);
        fits_in(own, others, |own, others| own <= others)
    }
}

/// A missing bound fits only in a missing bound.
fn fits_in<T>(own: Option<T>, bound: Option<T>, fits: impl FnOnce(T, T) -> bool) -> bool {
    match (own, bound) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(own), Some(bound)) => fits(own, bound),
    }
}
