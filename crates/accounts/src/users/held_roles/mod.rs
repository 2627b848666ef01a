//! Gives roles to one user, until a time or without an end, and takes them away.

mod expiry;
pub mod http;

pub use self::expiry::end_expired_roles;

use super::save::save_roles;
use super::{HeldRole, User};
use crate::roles::held::{self, Given, RoleFields, Source, UserRole};
use crate::roles::{Role, held::set_end};
use kernel::input::{Fault, Faults, Int, Moment, Partial};
use kernel::types::{Expiry, Timestamp};
use kernel::write::{Change, Edit, Fact, Resource, Target};
use kernel::{Error, Result, input};

input! {
    /// The end of a user's role.
    pub struct UserRoleTerms {
        /// When the role expires; in the future, at most 100 years. The default is no end.
        expires_at: Option<Moment>,
    }
}

input! {
    /// By how much to extend a user's role.
    pub struct UserRoleExtension {
        /// Added to the end of the role, or to now if it is not held.
        seconds: Int<60, 315_360_000>,
    }
}

/// The period that an extension has added to a role.
#[derive(Clone, Copy, Debug)]
pub struct Extension {
    /// The later of now and the end that the role had.
    pub from: Timestamp,
    /// `None` if the role has no end, so nothing was added.
    pub until: Option<Timestamp>,
    /// Whether the role was given.
    pub is_new: bool,
}

/// Gives the user a role, or changes its end.
pub async fn set(
    edit: &mut Edit,
    before: Target<User>,
    role: &Role,
    expiry: Expiry,
) -> Result<Change<UserRole>> {
    let now = edit.core().expiry_now();
    check_end(now, "expires_at", expiry)?;
    let mut user = before.clone();
    let given = Given {
        expiry,
        ..Given::for_good(now)
    };
    let is_new = give_until(edit, &mut user, role, given).await?;
    if let (false, Some(end)) = (is_new, expiry.time()) {
        let (user_id, role_id) = (user.id, role.id);
        edit.tell(Fact::RoleEndSet {
            user_id,
            role_id,
            end,
        })
        .await?;
    }
    save_roles(edit, &before, &mut user).await?;
    changed(edit, "set_role", &before, &user, role, is_new).await
}

/// Extends a role of the user, or gives it from now.
pub async fn extend(
    edit: &mut Edit,
    before: Target<User>,
    role: &Role,
    seconds: i64,
) -> Result<Change<UserRole>> {
    let now = edit.core().expiry_now();
    check_end(now, "seconds", extended(&before, role.id, now, seconds))?;
    let mut user = before.clone();
    let extension = extend_role(edit, &mut user, role, seconds, Source::Api).await?;
    changed(edit, "extend_role", &before, &user, role, extension.is_new).await
}

/// Extends a role of a [locked](super::locked) user, or gives it from now, as part of a larger
/// change, whose audit entry covers it. The role must be [held](crate::roles::hold).
pub async fn extend_role(
    edit: &mut Edit,
    user: &mut User,
    role: &Role,
    seconds: i64,
    source: Source,
) -> Result<Extension> {
    let now = edit.core().expiry_now();
    let before = user.clone();
    let expiry = extended(user, role.id, now, seconds);
    let given = Given {
        granted_at: now,
        expiry,
        source,
    };
    let is_new = give_until(edit, user, role, given).await?;
    save_roles(edit, &before, user).await?;
    let end = before.role_end(role.id).and_then(Expiry::time);
    Ok(Extension {
        from: end.map_or(now, |end| end.max(now)),
        until: expiry.time(),
        is_new,
    })
}

/// Gives a role to a locked user, or changes its end, as part of a larger change.
pub async fn give_role(
    edit: &mut Edit,
    user: &mut User,
    role: &Role,
    expiry: Expiry,
    source: Source,
) -> Result<()> {
    let before = user.clone();
    let given = Given {
        granted_at: edit.core().expiry_now(),
        expiry,
        source,
    };
    give_until(edit, user, role, given).await?;
    save_roles(edit, &before, user).await
}

/// Changes the end of a role that a locked user holds, as part of a larger change.
pub async fn set_role_end(
    edit: &mut Edit,
    user: &mut User,
    role_id: i64,
    expiry: Expiry,
) -> Result<()> {
    let before = user.clone();
    set_end(edit, user.id, role_id, expiry).await?;
    for held in user.roles.iter_mut().filter(|held| held.id == role_id) {
        held.expires_at = expiry.time();
    }
    save_roles(edit, &before, user).await
}

/// Takes a role away from a locked user, as part of a larger change.
pub async fn take_role(edit: &mut Edit, user: &mut User, role_id: i64) -> Result<()> {
    let before = user.clone();
    user.roles.retain(|role| role.id != role_id);
    held::remove(edit, &[user.id], &[role_id]).await?;
    save_roles(edit, &before, user).await
}

/// Takes a role away from the user.
pub async fn remove(edit: &mut Edit, before: Target<User>, role_id: i64) -> Result<Change<()>> {
    let held = before.roles.iter().find(|role| role.id == role_id);
    let held = held.ok_or(Error::NotFound(Role::SINGULAR))?;
    held::remove(edit, &[before.id], &[role_id]).await?;
    let mut user = before.clone();
    user.roles.retain(|role| role.id != role_id);
    save_roles(edit, &before, &mut user).await?;
    let fields = RoleFields {
        role_id,
        role_name: held.name.clone(),
        expires_at: held.expires_at,
    };
    let change = Change::of_whole_part("remove_role", &before, Some(&fields), None, ());
    Ok(change.with_etag_of(&user))
}

/// Checks the end of a role against the current time.
pub fn check_terms(now: Timestamp, terms: Partial<UserRoleTerms>) -> Result<Faults> {
    let end = terms.expires_at.flatten().map(|Moment(end)| end);
    let mut faults = Faults::default();
    faults.gather(check_end(now, "expires_at", Expiry::at(end)))?;
    Ok(faults)
}

fn check_end(now: Timestamp, field: &str, expiry: Expiry) -> Result<()> {
    let fault = if expiry.has_passed(now) {
        Fault::NotInFuture {}
    } else if expiry.is_too_far(now) {
        let years = Expiry::MOST_YEARS;
        Fault::TooFarAhead { years }
    } else {
        return Ok(());
    };
    Err(Faults::one(field, fault).into())
}

fn extended(user: &User, role_id: i64, now: Timestamp, seconds: i64) -> Expiry {
    let end = user.role_end(role_id).unwrap_or(Expiry::at(Some(now)));
    end.extended(now, seconds)
}

/// Gives the role, or changes its end. Returns whether it was given.
async fn give_until(edit: &mut Edit, user: &mut User, role: &Role, given: Given) -> Result<bool> {
    let expiry = given.expiry;
    if let Some(held) = user.roles.iter_mut().find(|held| held.id == role.id) {
        set_end(edit, user.id, role.id, expiry).await?;
        held.expires_at = expiry.time();
        return Ok(false);
    }
    held::give_one(edit, user.id, role, given).await?;
    user.roles.push(HeldRole {
        expires_at: expiry.time(),
        ..role.clone().into()
    });
    user.roles.sort_unstable_by_key(|role| role.id);
    Ok(true)
}

async fn changed(
    edit: &mut Edit,
    verb: &str,
    before: &Target<User>,
    user: &User,
    role: &Role,
    is_new: bool,
) -> Result<Change<UserRole>> {
    let held = held::find(edit, user.id, role.id).await?;
    let held = held.ok_or(Error::internal("a role that was given is not held"))?;
    let fields = |expiry: Expiry| RoleFields::from((role, expiry.time()));
    let old = before.role_end(role.id).map(fields);
    let new = user.role_end(role.id).map(fields);
    let change = Change::of_whole_part(verb, before, old.as_ref(), new.as_ref(), held);
    let change = change.with_etag_of(user);
    Ok(match is_new {
        true => change.creating_acted_on(),
        false => change,
    })
}
