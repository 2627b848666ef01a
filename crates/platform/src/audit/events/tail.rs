//! Reads new entries in the order of their ids, without gaps.
//!
//! On PostgreSQL a transaction takes the id of its entry before it commits, so an entry can become
//! visible after one with a higher id. At a missing id, the tail therefore stops until all
//! transactions that may have taken it have ended. Entries of one resource stay in order: its row
//! is locked when an id is taken.

use std::time::Duration;

use db::{Conn, OpenWriters};
use kernel::Result;

use super::{Event, store};

/// The number of entries read at once.
pub const BATCH: i64 = 500;
/// The wait before looking for a missing entry again.
pub const GAP_PAUSE: Duration = Duration::from_millis(10);

/// A position in the log. All entries up to it are visible.
pub struct Tail {
    position: i64,
    gap: Option<Gap>,
}

/// Missing ids, as first seen.
struct Gap {
    /// The newest entry visible then.
    newest: i64,
    /// The transactions that may have taken one of the missing ids.
    writers: OpenWriters,
}

/// The result of [`Tail::advance`].
#[derive(Default)]
pub struct Advance {
    pub events: Vec<Event>,
    /// Whether an entry is missing before the next visible one.
    pub has_gap: bool,
    /// Whether the batch is full, so more entries may follow.
    pub is_full: bool,
}

impl Tail {
    /// Begins after the newest entry.
    pub async fn start(conn: &mut Conn) -> Result<Self> {
        let position = store::newest(conn).await?;
        let writers = store::open_writers(conn).await?;
        while !writers.have_ended(&store::open_writers(conn).await?) {
            tokio::time::sleep(GAP_PAUSE).await;
        }
        Ok(Self {
            position,
            gap: None,
        })
    }

    pub fn position(&self) -> i64 {
        self.position
    }

    /// Reads the next entries, up to the first missing one.
    pub async fn advance(&mut self, conn: &mut Conn) -> Result<Advance> {
        // Comes before reading the entries, so that those of ended transactions are visible.
        let complete_to = self.complete_to(conn).await?;
        let read = store::between(conn, self.position, i64::MAX, BATCH).await?;
        let newest = read.last().map_or(self.position, |event| event.id);
        let mut advance = Advance {
            is_full: read.len() as i64 == BATCH,
            ..Advance::default()
        };
        for event in read {
            if event.id - 1 > self.position.max(complete_to) {
                advance.has_gap = true;
                break;
            }
            self.position = event.id;
            advance.events.push(event);
        }
        if !advance.has_gap {
            self.gap = None;
        } else if self.gap.is_none() || complete_to > 0 {
            let writers = store::open_writers(conn).await?;
            self.gap = Some(Gap { newest, writers });
        }
        Ok(advance)
    }

    /// The id up to which missing entries will never appear.
    async fn complete_to(&self, conn: &mut Conn) -> Result<i64> {
        let Some(gap) = &self.gap else {
            return Ok(0);
        };
        let writers = store::open_writers(conn).await?;
        Ok(match gap.writers.have_ended(&writers) {
            true => gap.newest,
            false => 0,
        })
    }
}
