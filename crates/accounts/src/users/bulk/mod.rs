//! Applies one change to many users: to all of them, or to none.

pub mod http;
mod input;
mod store;

use std::collections::{BTreeMap, BTreeSet};

use db::Conn;
use serde::Serialize;

pub use self::input::BulkUserChange;
use self::input::UserIds;

use super::blocks::{self, Block, BlockedUntil};
use super::input::{ACTIVE, BLOCKED};
use super::{User, store as users_store};
use crate::operators::{self, Act};
use crate::roles::{
    self,
    held::{self, Given},
};
use kernel::Result;
use kernel::input::{Fault, Faults, Ids, Object, Partial, Referent};
use kernel::types::Timestamp;
use kernel::write::{Change, Edit};

/// How many pairs of a user and a role one request may change. Other writes wait for it.
const MOST_PAIRS: usize = 10_000;

/// The users that were changed, or would be by a dry run.
#[derive(Debug)]
pub struct Outcome {
    pub dry_run: bool,
    /// The ids of the users that were changed, in order.
    pub changed: Vec<i64>,
    /// The ids of the users that had this state already, in order.
    pub unchanged: Vec<i64>,
}

enum Action {
    Block(Block),
    Unblock,
    AddRoles(Ids),
    RemoveRoles(Ids),
}

/// The part of a user that an action can change.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum State {
    Access {
        status: String,
        block: Option<Block>,
    },
    /// The user's roles among those of the action.
    Roles { roles: BTreeSet<i64> },
}

/// Users by id, for the audit log.
#[derive(Default, Serialize)]
struct States {
    users: BTreeMap<i64, State>,
}

pub async fn change(edit: &mut Edit, bulk: BulkUserChange) -> Result<Change<Outcome>> {
    let BulkUserChange {
        ids: UserIds(ids),
        block,
        unblock,
        add_roles,
        remove_roles,
        dry_run,
    } = bulk;
    let action = if let Some(Object(terms)) = block {
        Action::Block(terms.into())
    } else if unblock.is_some() {
        Action::Unblock
    } else if let Some(ids) = add_roles {
        Action::AddRoles(ids)
    } else {
        Action::RemoveRoles(remove_roles.unwrap_or_default())
    };
    action.check_size(&ids)?;
    let users = locked(edit, &ids, &action).await?;
    let current = states(edit, &action, users).await?;

    let mut outcome = Outcome {
        dry_run: dry_run.unwrap_or_default(),
        changed: Vec::new(),
        unchanged: Vec::new(),
    };
    let (mut before, mut after) = (States::default(), States::default());
    for (id, old) in current {
        let new = action.applied_to(&old);
        if new == old {
            outcome.unchanged.push(id);
        } else {
            outcome.changed.push(id);
            before.users.insert(id, old);
            after.users.insert(id, new);
        }
    }
    if outcome.dry_run {
        return Ok(Change::dry_run(outcome));
    }
    action.carry_out(edit, &outcome.changed).await?;
    Ok(Change::of_many::<User>("bulk", &before, &after, outcome))
}

/// The users, locked until the end of the transaction. Everything the request names must exist.
async fn locked(edit: &mut Edit, ids: &Ids, action: &Action) -> Result<Vec<User>> {
    let changes_access = matches!(action, Action::Block(_) | Action::Unblock);
    if changes_access {
        operators::lock_if_operators(edit, ids.as_slice()).await?;
    }
    users_store::lock_many(edit, ids.as_slice()).await?;
    if changes_access {
        let act = match action {
            Action::Block(_) => Act::Excludes,
            _ => Act::Restores,
        };
        operators::require_covered(edit, ids.as_slice(), act).await?;
    }
    let now = edit.core().expiry_now();
    let mut faults = Faults::default();
    let users = find(edit, now, ids, &mut faults).await?;
    faults.gather(match action {
        Action::Block(block) => block.check(now, "block.until"),
        Action::Unblock => Ok(()),
        Action::AddRoles(ids) => roles::require(edit, "add_roles", ids).await,
        Action::RemoveRoles(ids) => roles::require(edit, "remove_roles", ids).await,
    })?;
    faults.check()?;
    Ok(users)
}

/// Finds the users. Every unknown id is a fault.
async fn find(
    conn: &mut Conn,
    now: Timestamp,
    ids: &Ids,
    faults: &mut Faults,
) -> Result<Vec<User>> {
    let users = users_store::find_many(conn, now, ids.as_slice()).await?;
    let known = users.iter().map(|user| user.id).collect();
    ids.check_known(known, "ids", Referent::User, faults);
    Ok(users)
}

/// Checks a change against the database and the current time.
pub async fn check(
    conn: &mut Conn,
    now: Timestamp,
    bulk: Partial<BulkUserChange>,
) -> Result<Faults> {
    let mut faults = Faults::default();
    if let Some(UserIds(ids)) = bulk.ids {
        find(conn, now, &ids, &mut faults).await?;
    }
    if let Some(Some(Object(terms))) = bulk.block {
        faults.gather(Block::from(terms).check(now, "block.until"))?;
    }
    for (field, ids) in [
        ("add_roles", bulk.add_roles),
        ("remove_roles", bulk.remove_roles),
    ] {
        if let Some(Some(ids)) = ids {
            roles::check(conn, field, &ids, &mut faults).await?;
        }
    }
    Ok(faults)
}

/// The part of each user that the action concerns.
async fn states(
    edit: &mut Edit,
    action: &Action,
    users: Vec<User>,
) -> Result<BTreeMap<i64, State>> {
    if let Action::Block(_) | Action::Unblock = action {
        let access = |user: User| State::Access {
            status: user.status,
            block: user.block,
        };
        return Ok(users
            .into_iter()
            .map(|user| (user.id, access(user)))
            .collect());
    }
    let ids: Vec<i64> = users.iter().map(|user| user.id).collect();
    let (Action::AddRoles(concerned) | Action::RemoveRoles(concerned)) = action else {
        return Ok(BTreeMap::new());
    };
    let now = edit.core().expiry_now();
    let expired = held::end_expired(edit, now, &ids).await?;
    edit.record_as_system(&expired).await?;
    let mut roles: BTreeMap<i64, BTreeSet<i64>> = ids.iter().map(|id| (*id, [].into())).collect();
    for (user_id, role_id) in store::roles(edit, &ids, concerned.as_slice()).await? {
        roles.entry(user_id).or_default().insert(role_id);
    }
    let states = roles.into_iter();
    Ok(states
        .map(|(id, roles)| (id, State::Roles { roles }))
        .collect())
}

/// Refuses a change that is too large. This needs no database.
fn check_size(field: &str, users: &Ids, roles: &Ids) -> Result<()> {
    let (users, roles) = (users.as_slice().len(), roles.as_slice().len());
    if users * roles <= MOST_PAIRS {
        return Ok(());
    }
    let fault = Fault::TooManyForUsers {
        max: (MOST_PAIRS / users) as i64,
        users: users as i64,
    };
    Err(Faults::one(field, fault).into())
}

impl Action {
    fn check_size(&self, users: &Ids) -> Result<()> {
        match self {
            Self::AddRoles(roles) => check_size("add_roles", users, roles),
            Self::RemoveRoles(roles) => check_size("remove_roles", users, roles),
            Self::Block(_) | Self::Unblock => Ok(()),
        }
    }

    fn applied_to(&self, old: &State) -> State {
        let mut new = old.clone();
        match (self, &mut new) {
            (Self::Block(terms), State::Access { status, block }) => {
                *status = BLOCKED.to_owned();
                *block = Some(terms.clone());
            }
            (Self::Unblock, State::Access { status, block }) if block.is_some() => {
                *status = ACTIVE.to_owned();
                *block = None;
            }
            (Self::AddRoles(ids), State::Roles { roles }) => roles.extend(ids.as_slice()),
            (Self::RemoveRoles(_), State::Roles { roles }) => roles.clear(),
            // There is no block to lift. All other combinations have matching action and state.
            _ => {}
        }
        new
    }

    async fn carry_out(&self, edit: &mut Edit, users: &[i64]) -> Result<()> {
        let now = edit.now();
        match self {
            Self::Block(terms) => {
                blocks::begin(edit, users, terms).await?;
                let until = Some(BlockedUntil::from(terms));
                store::set_status(edit, users, BLOCKED, until).await?;
            }
            Self::Unblock => {
                blocks::end(edit, users).await?;
                store::set_status(edit, users, ACTIVE, None).await?;
            }
            Self::AddRoles(ids) => {
                let given = Given::for_good(edit.core().expiry_now());
                held::give(edit, users, ids.as_slice(), given).await?;
            }
            Self::RemoveRoles(ids) => held::remove(edit, users, ids.as_slice()).await?,
        }
        Ok(store::set_updated(edit, users, now).await?)
    }
}
