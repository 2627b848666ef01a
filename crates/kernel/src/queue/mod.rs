//! The queue of what must happen outside the database, such as requests to receivers of webhooks.
//!
//! An item is added in the transaction that makes it necessary, so that a crash loses nothing. It
//! belongs to a line, such as a webhook; a slow line delays no other. An instance leases the items
//! that it works on, and if it dies, the leases expire and other instances take over. The table has
//! only the schedule: state and attempts are in the rows of the slice.

mod retries;
mod runner;
mod store;

pub use self::retries::retry_delay;
pub use self::runner::{Stop, Work, once, run};

use db::{Conn, Db, Tx};

use crate::{Core, Result};

/// One kind of work.
#[derive(Debug)]
pub struct Queue {
    kind: &'static str,
    order: LineOrder,
    /// How long an instance may work on an item, in milliseconds.
    lease: i64,
}

/// The order in which the items of a line are leased.
#[derive(Clone, Copy, Debug)]
enum LineOrder {
    /// The longest overdue first. Several instances may work on one line.
    ByTime,
    /// One at a time, by id. An item that waits for a retry delays those after it.
    OneByOne,
}

/// Items of a line that this instance has leased.
#[derive(Debug)]
pub struct Lease {
    line: i64,
    pub items: Vec<i64>,
    /// The end of the lease, which also identifies it.
    until: i64,
}

/// The current time of the schedule, in milliseconds since 1970.
pub fn now(core: &Core) -> i64 {
    i64::try_from(core.clock.millis()).unwrap_or(i64::MAX)
}

impl Queue {
    /// A queue whose lines have many items under way. A lease is in milliseconds.
    pub const fn by_time(kind: &'static str, lease: i64) -> Self {
        let order = LineOrder::ByTime;
        Self { kind, order, lease }
    }

    /// A queue whose lines have one item under way.
    pub const fn one_by_one(kind: &'static str, lease: i64) -> Self {
        let order = LineOrder::OneByOne;
        Self { kind, order, lease }
    }

    /// Adds items that are due at `at`. Those that are queued already keep their schedule.
    pub async fn add(&self, tx: &mut Tx, line: i64, items: &[i64], at: i64) -> Result<()> {
        match items {
            [] => Ok(()),
            items => Ok(store::insert(tx, self.kind, line, items, at).await?),
        }
    }

    /// Makes an item due at `at`, and adds it if necessary. One that is leased until after that
    /// keeps its schedule.
    pub async fn schedule(&self, tx: &mut Tx, line: i64, item: i64, at: i64) -> Result<()> {
        Ok(store::upsert(tx, self.kind, line, item, at).await?)
    }

    /// The same for many items.
    pub async fn schedule_all(&self, tx: &mut Tx, line: i64, items: &[i64], at: i64) -> Result<()> {
        match items {
            [] => Ok(()),
            items => Ok(store::upsert_all(tx, self.kind, line, items, at).await?),
        }
    }

    /// The lines whose next item is due.
    pub async fn due_lines(&self, conn: &mut Conn, now: i64) -> Result<Vec<i64>> {
        Ok(store::due_lines(conn, self.kind, self.order, now).await?)
    }

    /// The next item of the line, if it is due.
    pub async fn next_due(&self, conn: &mut Conn, line: i64, now: i64) -> Result<Option<i64>> {
        Ok(store::next_due(conn, self.kind, line, self.order, now).await?)
    }

    /// Leases due items of a line, at most `limit`; one if they go one by one.
    pub async fn lease(&self, tx: &mut Tx, line: i64, now: i64, limit: i64) -> Result<Lease> {
        let until = now.saturating_add(self.lease);
        let items = match self.order {
            LineOrder::ByTime => store::lease(tx, self.kind, line, now, until, limit).await?,
            LineOrder::OneByOne => store::lease_first(tx, self.kind, line, now, until).await?,
        };
        Ok(Lease { line, items, until })
    }

    /// Ends the lease of these items. Returns those whose outcome may be stored: of the others, the
    /// lease has expired or was revoked. They are due now, unless they are
    /// [removed](Self::remove) or [scheduled](Self::schedule) in the same transaction.
    pub async fn release(
        &self,
        tx: &mut Tx,
        lease: &Lease,
        items: &[i64],
        now: i64,
    ) -> Result<Vec<i64>> {
        Ok(store::release(tx, self.kind, lease.line, items, lease.until, now).await?)
    }

    /// Revokes the leases of an item that is in several lines: its outcome is not stored, and it is
    /// due again when the lease would have expired.
    pub async fn revoke_leases(&self, tx: &mut Tx, lines: &[i64], item: i64) -> Result<()> {
        Ok(store::revoke_leases(tx, self.kind, lines, item).await?)
    }

    /// Makes items due now that wait for a retry.
    pub async fn wake(&self, tx: &mut Tx, lines: &[i64], now: i64) -> Result<()> {
        match lines {
            [] => Ok(()),
            lines => Ok(store::wake(tx, self.kind, lines, now).await?),
        }
    }

    pub async fn remove(&self, tx: &mut Tx, line: i64, items: &[i64]) -> Result<()> {
        match items {
            [] => Ok(()),
            items => Ok(store::delete(tx, self.kind, line, items).await?),
        }
    }

    /// Removes a whole line, as part of a change.
    pub async fn clear_line(&self, tx: &mut Tx, line: i64) -> Result<()> {
        Ok(store::clear_line(tx, self.kind, line).await?)
    }

    /// Removes a whole line, at most `size` items in a transaction.
    pub async fn remove_line(&self, db: &Db, line: i64, size: i64) -> Result<()> {
        Ok(store::delete_line(db, self.kind, line, size).await?)
    }
}

impl Lease {
    pub fn line(&self) -> i64 {
        self.line
    }
}
