//! Writes the audit entry of a change, in the same transaction. The slice `audit` lists them.

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
    pub before: Side,
    pub after: Side,
}

/// Returns the last announcement of a change of API keys.
pub async fn record(tx: &mut Tx, actor: &Actor, now: Timestamp, entry: &Entry) -> Result<i64> {
    Ok(store::insert(tx, actor, now, entry).await?)
}
