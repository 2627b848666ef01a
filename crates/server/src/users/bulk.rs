//! The same change to many users at once: to all of them, or to none.

use std::collections::{BTreeMap, BTreeSet};

use db::Conn;
use serde::Serialize;

use super::blocks::BlockTerms;
use super::input::{ACTIVE, BLOCKED};
use super::{Block, User, store};
use crate::roles;
use kernel::input::{Faults, Ids, Object, Partial, Place, Raw, Rule};
use kernel::types::Timestamp;
use kernel::write::{Change, Edit};
use kernel::{Result, inline_schema, input};

const MOST: usize = 1000;

input! {
    /// Whom to change, and how: by exactly one of `block`, `unblock`, `add_roles` and
    /// `remove_roles`.
    pub struct BulkChange {
        /// The ids of the users. Repeated ones count once.
        ids: UserIds,
        /// Blocks them on these terms. A block takes the place of the one before.
        block: Option<Object<BlockTerms>>,
        /// Lifts their blocks.
        unblock: Option<True>,
        /// The ids of roles that they get beside those they have.
        add_roles: Option<Ids>,
        /// The ids of roles that they lose.
        remove_roles: Option<Ids>,
        /// Only says what would change.
        dry_run: Option<bool>,
    }
    exactly one of block, unblock, add_roles, remove_roles
}

/// Some ids, but not too many.
#[derive(Debug)]
pub struct UserIds(Ids);

impl Rule for UserIds {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        Ids::read_within(raw, place, 1..=MOST).map(Self)
    }
}

inline_schema!(UserIds, {
    "type": "array",
    "items": { "type": "integer", "minimum": 1 },
    "minItems": 1,
    "maxItems": MOST,
});

/// A flag that is there or not; there is nothing that `false` could mean.
#[derive(Debug)]
pub struct True;

impl Rule for True {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let value = bool::read(raw, place)?;
        if !value {
            place.add("must be true, or be left out");
        }
        value.then_some(Self)
    }
}

inline_schema!(True, { "type": "boolean", "enum": [true] });

/// What was done, or would be.
#[derive(Debug)]
pub struct Outcome {
    pub dry_run: bool,
    /// The ids of those who are different now, in order.
    pub changed: Vec<i64>,
    /// The ids of those who were like this already.
    pub unchanged: Vec<i64>,
}

enum Action {
    Block(Block),
    Unblock,
    AddRoles(Ids),
    RemoveRoles(Ids),
}

/// As much of a user as an action can change.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
enum State {
    Access {
        status: String,
        block: Option<Block>,
    },
    Roles {
        roles: BTreeSet<i64>,
    },
}

/// Users by their ids, for the audit log.
#[derive(Default, Serialize)]
struct States {
    users: BTreeMap<i64, State>,
}

pub async fn change(edit: &mut Edit, bulk: BulkChange) -> Result<Change<Outcome>> {
    let BulkChange {
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
    let users = held(edit, &ids, &action).await?;
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
        return Ok(Change::rehearsed(outcome));
    }
    action.carry_out(edit, &outcome.changed).await?;
    Ok(Change::of_many::<User>("bulk", &before, &after, outcome))
}

/// The users, held until the end of the transaction, once everything that the request names is
/// known to exist.
async fn held(edit: &mut Edit, ids: &Ids, action: &Action) -> Result<Vec<User>> {
    store::bulk::lock(edit, ids.as_slice()).await?;
    let now = edit.now();
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
pub async fn check(conn: &mut Conn, now: Timestamp, bulk: Partial<BulkChange>) -> Result<Faults> {
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

/// How the users stand, as far as the action is about it.
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
    let mut roles: BTreeMap<i64, BTreeSet<i64>> = ids.iter().map(|id| (*id, [].into())).collect();
    for (user_id, role_id) in store::bulk::roles(edit, &ids).await? {
        roles.entry(user_id).or_default().insert(role_id);
    }
    let states = roles.into_iter();
    Ok(states
        .map(|(id, roles)| (id, State::Roles { roles }))
        .collect())
}

impl Action {
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
            (Self::RemoveRoles(ids), State::Roles { roles }) => {
                roles.retain(|role| !ids.contains(*role));
            }
            // There is no block, and every other action is applied to the state that it is about.
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
                store::bulk::set_status(edit, users, BLOCKED).await?;
            }
            Self::Unblock => {
                store::blocks::lift(edit, users, now).await?;
                store::bulk::set_status(edit, users, ACTIVE).await?;
            }
            Self::AddRoles(ids) => store::bulk::add_roles(edit, users, ids.as_slice()).await?,
            Self::RemoveRoles(ids) => {
                store::bulk::remove_roles(edit, users, ids.as_slice()).await?
            }
        }
        Ok(store::bulk::set_updated(edit, users, now).await?)
    }
}
