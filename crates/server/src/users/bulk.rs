//! The same change to many users: to all of them, or to none.

use std::collections::{BTreeMap, BTreeSet};

use db::Conn;
use serde::Serialize;

use super::blocks::BlockedUntil;
use super::input::{ACTIVE, BLOCKED, BulkUserChange, UserIds};
use super::{Block, User, store};
use crate::operators::{self, Act};
use crate::roles;
use kernel::Result;
use kernel::input::{Faults, Ids, Object, Partial};
use kernel::types::Timestamp;
use kernel::write::{Change, Edit};

/// How many pairs of a user and a role one request may add or remove. Other writes wait for it.
const MOST_PAIRS: usize = 10_000;

/// What was changed, or would be.
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
    /// Those of the action's roles that the user has.
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

/// The users, locked until the end of the transaction. Whatever the request names must exist.
async fn locked(edit: &mut Edit, ids: &Ids, action: &Action) -> Result<Vec<User>> {
    let changes_access = matches!(action, Action::Block(_) | Action::Unblock);
    if changes_access {
        operators::lock_if_operators(edit, ids.as_slice()).await?;
    }
    store::bulk::lock(edit, ids.as_slice()).await?;
    if changes_access {
        operators::require_covered(edit, ids.as_slice(), Act::Excludes).await?;
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

/// Those of the users that exist. Every other id is a fault.
async fn find(
    conn: &mut Conn,
    now: Timestamp,
    ids: &Ids,
    faults: &mut Faults,
) -> Result<Vec<User>> {
    let users = store::bulk::find(conn, now, ids.as_slice()).await?;
    let known = users.iter().map(|user| user.id).collect();
    ids.check_known(known, "ids", "is not the id of a user", faults);
    Ok(users)
}

/// The faults of a change that need the database, or depend on the time.
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

/// The present state of the users, as far as the action concerns it.
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
    let mut roles: BTreeMap<i64, BTreeSet<i64>> = ids.iter().map(|id| (*id, [].into())).collect();
    for (user_id, role_id) in store::bulk::roles(edit, &ids, concerned.as_slice()).await? {
        roles.entry(user_id).or_default().insert(role_id);
    }
    let states = roles.into_iter();
    Ok(states
        .map(|(id, roles)| (id, State::Roles { roles }))
        .collect())
}

/// The faults of a change that is too large, and needs no database to find out.
fn check_size(field: &str, users: &Ids, roles: &Ids) -> Result<()> {
    let (users, roles) = (users.as_slice().len(), roles.as_slice().len());
    if users * roles <= MOST_PAIRS {
        return Ok(());
    }
    let most = MOST_PAIRS / users;
    let sentence = format!("must be at most {most} ids for {users} users");
    Err(Faults::one(field, &sentence).into())
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
            // Nothing to unblock; otherwise action and state always belong together.
            _ => {}
        }
        new
    }

    async fn carry_out(&self, edit: &mut Edit, users: &[i64]) -> Result<()> {
        let now = edit.now();
        match self {
            Self::Block(terms) => {
                let actor = edit.actor().clone();
                store::blocks::lift(edit, users, now).await?;
                store::blocks::insert(edit, users, terms, &actor, now).await?;
                let until = Some(BlockedUntil::from(terms));
                store::bulk::set_status(edit, users, BLOCKED, until).await?;
            }
            Self::Unblock => {
                store::blocks::lift(edit, users, now).await?;
                store::bulk::set_status(edit, users, ACTIVE, None).await?;
            }
            Self::AddRoles(ids) => store::bulk::add_roles(edit, users, ids.as_slice()).await?,
            Self::RemoveRoles(ids) => {
                store::bulk::remove_roles(edit, users, ids.as_slice()).await?
            }
        }
        Ok(store::bulk::set_updated(edit, users, now).await?)
    }
}
