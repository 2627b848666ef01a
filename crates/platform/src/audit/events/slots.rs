//! Limits how many streams are open: each holds a connection for as long as its client wants.

use std::collections::HashMap;
use std::sync::Arc;

use kernel::{Error, ErrorCode, Result};
use parking_lot::Mutex;

/// Streams of one key or operator.
const MAX_OF_CALLER: usize = 16;
/// All streams together may hold this fraction (one in four) of the connections.
const SHARE: usize = 4;
/// When a refused client should retry, in seconds.
const RETRY_AFTER: u64 = 10;

/// The open streams of this instance.
pub struct StreamSlots {
    limit: usize,
    /// By the id of the caller. A caller without streams has no entry.
    open: Mutex<HashMap<i64, usize>>,
}

impl StreamSlots {
    pub fn new(connections: usize) -> Arc<Self> {
        Arc::new(Self {
            limit: (connections / SHARE).max(1),
            open: Mutex::default(),
        })
    }

    /// Takes a slot for a stream of this caller. Dropping it frees it.
    pub fn take(self: &Arc<Self>, caller: i64) -> Result<StreamSlot> {
        let mut open = self.open.lock();
        let own = open.get(&caller).copied().unwrap_or(0);
        if own >= MAX_OF_CALLER {
            return Err(Error::TooManyRequests {
                code: ErrorCode::TooManyStreams,
                message: "This key or operator has 16 event streams open, which is the limit. \
                          Close one first.",
                retry_after: RETRY_AFTER,
            });
        }
        if open.values().sum::<usize>() >= self.limit {
            return Err(Error::Busy);
        }
        open.insert(caller, own + 1);
        Ok(StreamSlot {
            slots: Arc::clone(self),
            caller,
        })
    }
}

pub struct StreamSlot {
    slots: Arc<StreamSlots>,
    caller: i64,
}

impl Drop for StreamSlot {
    fn drop(&mut self) {
        let mut open = self.slots.open.lock();
        if let Some(count) = open.get_mut(&self.caller) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.caller);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_caller_has_16_streams_and_all_have_a_quarter_of_the_connections() {
        let slots = StreamSlots::new(80);
        let own: Vec<StreamSlot> = (0..16).map(|_| slots.take(7).expect("a slot")).collect();
        let refused = slots.take(7).err().map(|error| error.code());
        assert_eq!(refused, Some(ErrorCode::TooManyStreams));
        let others: Vec<StreamSlot> = (1..5).map(|id| slots.take(id).expect("a slot")).collect();
        let refused = slots.take(5).err().map(|error| error.code());
        assert_eq!(refused, Some(ErrorCode::Busy));
        drop((own, others));
        assert!(slots.open.lock().is_empty());
        assert!(slots.take(7).is_ok());
    }
}
