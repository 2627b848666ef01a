//! Changes the restrictions of a key: its expiry, networks and rate limit.
//!
//! A restricted key cannot grant more than it has: see [`Restrictions::are_within`].

use super::{ApiKey, ApiKeyRestrictionChanges, require_restrictions, store};
use kernel::auth::{Restrictions, TOPIC};
use kernel::input::{Fault, Faults, Moment, Nullable, Partial, Patch};
use kernel::types::Timestamp;
use kernel::write::{Change, Edit, Target};
use kernel::{Error, Result};

/// Validates the expiry of new restrictions against the current time.
pub fn check_restrictions(now: Timestamp, changes: Partial<ApiKeyRestrictionChanges>) -> Faults {
    let expiry = changes.expires_at.as_ref();
    expiry.map_or_else(Faults::default, |expiry| check_expiry(now, expiry))
}

fn check_expiry(now: Timestamp, expires_at: &Patch<Nullable<Moment>>) -> Faults {
    match expires_at {
        Patch::Set(Nullable(Some(Moment(end)))) if *end <= now => {
            Faults::one("expires_at", Fault::NotInFuture {})
        }
        _ => Faults::default(),
    }
}

pub async fn restrict(
    edit: &mut Edit,
    before: Target<ApiKey>,
    changes: ApiKeyRestrictionChanges,
) -> Result<Change<ApiKey>> {
    let ApiKeyRestrictionChanges {
        expires_at,
        allowed_ips,
        requests_per_second,
    } = changes;
    let current = &before.restrictions;
    check_expiry(edit.core().expiry_now(), &expires_at).check()?;
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
    require_restrictions(edit, &restrictions)?;
    if edit.actor().key_id == Some(before.id) && !restrictions.is_no_faster_than(current) {
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
