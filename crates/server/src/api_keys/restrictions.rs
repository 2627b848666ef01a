//! Restrictions of a key: until when, from where and how often it can be used.
//!
//! A key that is restricted itself cannot get around it: see [`Restrictions::within`].

use std::net::IpAddr;

use serde::Serialize;

use super::{ApiKey, TOPIC, require_within, store};
use crate::edit::{Change, Edit, Target};
use crate::input::{Faults, Int, Moment, Nullable, Patch};
use crate::networks::Networks;
use crate::timestamp::Timestamp;
use crate::{Error, Result, input};

/// What is absent is no restriction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Restrictions {
    pub expires_at: Option<Timestamp>,
    pub allowed_ips: Option<Networks>,
    pub requests_per_second: Option<u32>,
}

type Rate = Int<1, 10_000>;

input! {
    /// What to change about the restrictions of a key. What is absent stays, `null` lifts it.
    pub struct RestrictionChanges {
        /// From when on the key is refused, in the future.
        expires_at: Patch<Nullable<Moment>>,
        /// Networks and single addresses, IPv4 or IPv6, from which alone the key is accepted.
        allowed_ips: Patch<Nullable<Networks>>,
        /// How many requests the key may make in any second, in each instance of the service.
        requests_per_second: Patch<Nullable<Rate>>,
    }
}

impl Restrictions {
    pub fn admit(&self, now: Timestamp, ip: Option<IpAddr>) -> bool {
        let in_time = self.expires_at.is_none_or(|end| now < end);
        let in_place = |allowed: &Networks| ip.is_some_and(|ip| allowed.contains(ip));
        in_time && self.allowed_ips.as_ref().is_none_or(in_place)
    }

    /// Whether a key under these can be used at no moment and from nowhere that `other` rules
    /// out. How often says nothing of the kind: every key has requests of its own.
    pub fn within(&self, other: &Self) -> bool {
        let in_time = within(self.expires_at, other.expires_at, |end, other| end <= other);
        let (own, others) = (self.allowed_ips.as_ref(), other.allowed_ips.as_ref());
        in_time && within(own, others, |own, others| others.cover(own))
    }

    fn no_faster_than(&self, other: &Self) -> bool {
        let (own, others) = (self.requests_per_second, other.requests_per_second);
        within(own, others, |own, others| own <= others)
    }
}

/// Without a bound of its own, something is within a bound only if there is none.
fn within<T>(own: Option<T>, bound: Option<T>, fits: impl FnOnce(T, T) -> bool) -> bool {
    match (own, bound) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(own), Some(bound)) => fits(own, bound),
    }
}

pub async fn restrict(
    edit: &mut Edit,
    before: Target<ApiKey>,
    changes: RestrictionChanges,
) -> Result<Change<ApiKey>> {
    let RestrictionChanges {
        expires_at,
        allowed_ips,
        requests_per_second,
    } = changes;
    let current = &before.restrictions;
    if let Patch::Set(Nullable(Some(Moment(end)))) = expires_at
        && end <= edit.now()
    {
        return Err(Faults::one("expires_at", "must be in the future").into());
    }
    let restrictions = Restrictions {
        expires_at: match expires_at {
            Patch::Keep => current.expires_at,
            Patch::Set(end) => end.0.map(|Moment(end)| end),
        },
        allowed_ips: allowed_ips.or(current.allowed_ips.clone()).0,
        requests_per_second: match requests_per_second {
            Patch::Keep => current.requests_per_second,
            Patch::Set(rate) => rate.0.map(|rate| rate.0 as u32),
        },
    };
    require_within(edit, &restrictions)?;
    if edit.actor().key_id == Some(before.id) && !restrictions.no_faster_than(current) {
        return Err(Error::PrivilegeEscalation);
    }
    let key = ApiKey {
        restrictions,
        ..before.clone()
    };
    store::update(edit, &key).await?;
    edit.announce(TOPIC).await?;
    Ok(Change::updated("restrictions", &before, key))
}
