//! Writes the audit entry of a change, in the same transaction. The slice `audit` lists entries.

mod side;
mod store;

use db::Tx;

use crate::Result;
use crate::auth::Actor;
use crate::types::Timestamp;

pub use self::side::Side;

/// The audit entry of a write.
#[derive(Debug)]
pub struct Entry {
    pub action: String,
    pub resource: &'static str,
    pub resource_id: i64,
    /// The user that the resource is or belongs to.
    pub about_user_id: Option<i64>,
    pub before: Side,
    pub after: Side,
}

/// Records many entries at once, of an actor without a key.
pub async fn record_many(
    tx: &mut Tx,
    actor: &Actor,
    now: Timestamp,
    entries: &[Entry],
) -> Result<()> {
    Ok(store::insert_many(tx, actor, now, entries).await?)
}

/// Records an entry. Returns the last announced change of API keys.
pub async fn record(tx: &mut Tx, actor: &Actor, now: Timestamp, entry: &Entry) -> Result<i64> {
    Ok(store::insert(tx, actor, now, entry).await?)
}
