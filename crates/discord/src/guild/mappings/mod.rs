//! Which roles at Discord follow which roles.

mod store;

use std::collections::BTreeSet;

use accounts::roles;
use db::Conn;
use serde::Serialize;

pub use self::store::{delete_all, list, set_problem};
use super::connection::{NOT_CONNECTED, begin_repair};
use super::input::Mappings;
use super::resource::{Connection, Mapping};
use super::store as connections;
use kernel::Result;
use kernel::input::{Fault, Faults, Referent};
use kernel::write::{Change, Edit, Resource, Target};

/// All pairs, which are changed together.
#[derive(Clone, Debug, Serialize)]
pub struct RoleMappings {
    pub mappings: Vec<Mapping>,
}

impl Resource for RoleMappings {
    const PLURAL: &'static str = "discord";
    const SINGULAR: &'static str = "connection to Discord";

    fn id(&self) -> i64 {
        1
    }
}

pub async fn get(conn: &mut Conn) -> Result<RoleMappings> {
    let mappings = list(conn).await?;
    Ok(RoleMappings { mappings })
}

/// The pairs to change. The connection is locked.
pub async fn target(edit: &mut Edit) -> Result<(Connection, Target<RoleMappings>)> {
    let connection = connections::lock_and_find(edit).await?;
    let connection = connection.ok_or(NOT_CONNECTED)?;
    let found = get(edit).await?;
    Ok((connection, edit.target(Some(found))?))
}

/// Replaces all pairs. Of a pair that is removed, roles stay at Discord as they are.
pub async fn replace(
    edit: &mut Edit,
    (connection, before): (Connection, Target<RoleMappings>),
    new: Mappings,
) -> Result<Change<RoleMappings>> {
    roles::lock_shared(edit, &distinct(&new)).await?;
    check(edit, &new).await?.check()?;
    let Mappings { mut mappings, .. } = new;
    mappings.sort_unstable_by_key(|pair| (pair.role_id, pair.discord_role_id));
    for pair in &mut mappings {
        let known = before
            .mappings
            .iter()
            .find(|known| known.is_same_pair(pair));
        pair.problem = known.and_then(|known| known.problem);
    }
    if mappings != before.mappings {
        delete_all(edit).await?;
        for pair in &mappings {
            store::insert(edit, pair).await?;
        }
        begin_repair(edit, connection).await?;
    }
    Ok(Change::updated("roles", &before, RoleMappings { mappings }))
}

fn distinct(new: &Mappings) -> Vec<i64> {
    let ids: BTreeSet<i64> = new.role_ids.iter().copied().flatten().collect();
    ids.into_iter().collect()
}

/// Checks new pairs against the database.
pub async fn check(conn: &mut Conn, new: &Mappings) -> Result<Faults> {
    let mut faults = Faults::default();
    let known = roles::existing_ids(conn, &distinct(new)).await?;
    for (i, role_id) in new.role_ids.iter().enumerate() {
        if role_id.is_some_and(|id| !known.contains(&id)) {
            let fault = Fault::unknown_id(Referent::Role);
            faults.at("mappings").inside(i).inside("role_id").add(fault);
        }
    }
    Ok(faults)
}
