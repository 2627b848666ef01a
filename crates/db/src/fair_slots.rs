//! Slots that are shared fairly between clients.
//!
//! A client holds at most its part of the slots. Beyond that its requests wait, while other clients
//! proceed. A free slot goes to the waiting client that holds the fewest.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

use foldhash::fast::RandomState;
use parking_lot::Mutex;
use tokio::sync::oneshot;

use crate::client::Client;
use crate::{Error, Result};

/// The use of a slot. Some slots are reserved for [`Use::Write`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    Read,
    Write,
}

/// The number of slots, and the limits on their use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    pub total: usize,
    /// Limit of reads of all clients together.
    pub reads: usize,
    /// Limit of reads of one client.
    pub reads_of_one: usize,
    /// Limit of reads and writes of one client together.
    pub all_of_one: usize,
}

pub(crate) struct FairSlots {
    state: Mutex<State>,
    timeout: Duration,
}

struct State {
    sizes: Sizes,
    held: Held,
    clients: HashMap<Option<u64>, Share, RandomState>,
}

#[derive(Clone, Copy, Default)]
struct Held {
    reads: usize,
    writes: usize,
}

impl Held {
    fn all(self) -> usize {
        self.reads + self.writes
    }

    fn of(&mut self, purpose: Use) -> &mut usize {
        match purpose {
            Use::Read => &mut self.reads,
            Use::Write => &mut self.writes,
        }
    }
}

/// The slots that one client holds, and its waiting requests.
#[derive(Default)]
struct Share {
    held: Held,
    waiting: VecDeque<Waiter>,
}

struct Waiter {
    purpose: Use,
    since: Instant,
    turn: oneshot::Sender<()>,
}

impl FairSlots {
    pub fn new(sizes: Sizes, timeout: Duration) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                sizes,
                held: Held::default(),
                clients: HashMap::default(),
            }),
            timeout,
        })
    }

    /// Waits for a slot for the client of the current task. Returns [`Error::Busy`] if none is free
    /// in time, or at once if this client's queue does not move.
    pub async fn acquire(self: &Arc<Self>, purpose: Use) -> Result<Slot> {
        let share = Client::current_share();
        let turn = {
            let mut state = self.state.lock();
            if state.allows(share, purpose) {
                state.take(share, purpose);
                None
            } else {
                Some(state.enqueue(share, purpose, self.timeout)?)
            }
        };
        if let Some(turn) = turn {
            let mut waiting = Waiting {
                slots: self,
                share,
                purpose,
                turn,
                has_received: false,
            };
            let end = Client::end_of(self.timeout);
            let turn = tokio::time::timeout_at(end.into(), &mut waiting.turn).await;
            waiting.has_received = matches!(turn, Ok(Ok(())));
            if !waiting.has_received {
                return Err(Error::Busy);
            }
        }
        Ok(Slot {
            slots: Arc::clone(self),
            share,
            purpose,
        })
    }

    /// Changes the number of slots. Slots in use beyond it stay in use.
    pub fn resize(&self, sizes: Sizes) {
        let mut state = self.state.lock();
        state.sizes = sizes;
        state.serve_waiting();
    }

    fn release(&self, share: Option<u64>, purpose: Use) {
        let mut state = self.state.lock();
        *state.held.of(purpose) -= 1;
        if let Some(client) = state.clients.get_mut(&share) {
            *client.held.of(purpose) -= 1;
        }
        state.forget_idle(share);
        state.serve_waiting();
    }
}

impl State {
    fn allows(&self, share: Option<u64>, purpose: Use) -> bool {
        let Sizes {
            total,
            reads,
            reads_of_one,
            all_of_one,
        } = self.sizes;
        let is_read = purpose == Use::Read;
        if self.held.all() >= total || is_read && self.held.reads >= reads {
            return false;
        }
        let held = self.clients.get(&share).map(|client| client.held);
        let held = held.unwrap_or_default();
        share.is_none() || held.all() < all_of_one && !(is_read && held.reads >= reads_of_one)
    }

    fn take(&mut self, share: Option<u64>, purpose: Use) {
        *self.held.of(purpose) += 1;
        *self.clients.entry(share).or_default().held.of(purpose) += 1;
    }

    fn enqueue(
        &mut self,
        share: Option<u64>,
        purpose: Use,
        timeout: Duration,
    ) -> Result<oneshot::Receiver<()>> {
        let waiting = &mut self.clients.entry(share).or_default().waiting;
        waiting.retain(|waiter| !waiter.turn.is_closed());
        // Fail fast: the head of the queue has used half of its timeout.
        let is_stuck = |waiter: &Waiter| waiter.since.elapsed() > timeout / 2;
        if waiting.front().is_some_and(is_stuck) {
            return Err(Error::Busy);
        }
        let (turn, received) = oneshot::channel();
        waiting.push_back(Waiter {
            purpose,
            since: Instant::now(),
            turn,
        });
        Ok(received)
    }

    fn serve_waiting(&mut self) {
        while let Some((share, at)) = self.next() {
            let client = self.clients.get_mut(&share);
            let Some(waiter) = client.and_then(|client| client.waiting.remove(at)) else {
                return;
            };
            // Fails if the request has ended.
            if waiter.turn.send(()).is_ok() {
                self.take(share, waiter.purpose);
            } else {
                self.forget_idle(share);
            }
        }
    }

    fn forget_idle(&mut self, share: Option<u64>) {
        let client = self.clients.get(&share);
        if client.is_some_and(|client| client.held.all() == 0 && client.waiting.is_empty()) {
            self.clients.remove(&share);
        }
    }

    /// The client to serve next, which holds the fewest slots, and the position in its queue.
    fn next(&self) -> Option<(Option<u64>, usize)> {
        if self.held.all() >= self.sizes.total {
            return None;
        }
        let first_allowed = |(share, client): (&Option<u64>, &Share)| {
            let allowed = [Use::Read, Use::Write].map(|purpose| self.allows(*share, purpose));
            let mut waiting = client.waiting.iter();
            let at = waiting.position(|waiter| allowed[waiter.purpose as usize])?;
            Some((client.held.all(), client.waiting[at].since, *share, at))
        };
        let candidates = self.clients.iter().filter_map(first_allowed);
        let (_, _, share, at) = candidates.min()?;
        Some((share, at))
    }
}

impl Slot {
    /// Returns `true` if the client of this slot holds other slots as well.
    pub fn has_company(&self) -> bool {
        let state = self.slots.state.lock();
        let client = state.clients.get(&self.share);
        client.is_some_and(|client| client.held.all() > 1)
    }
}

/// A slot in use. Dropping it frees it.
pub(crate) struct Slot {
    slots: Arc<FairSlots>,
    share: Option<u64>,
    purpose: Use,
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.slots.release(self.share, self.purpose);
    }
}

/// Waits for a slot. If it is dropped after it was granted a slot, it gives the slot back.
struct Waiting<'a> {
    slots: &'a FairSlots,
    share: Option<u64>,
    purpose: Use,
    turn: oneshot::Receiver<()>,
    has_received: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.turn.close();
        if !self.has_received && self.turn.try_recv().is_ok() {
            self.slots.release(self.share, self.purpose);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    const SIZES: Sizes = Sizes {
        total: 4,
        reads: 3,
        reads_of_one: 2,
        all_of_one: 3,
    };

    fn slots() -> Arc<FairSlots> {
        FairSlots::new(SIZES, Duration::from_secs(10))
    }

    async fn acquire(slots: &Arc<FairSlots>, share: u64, purpose: Use) -> Result<Slot> {
        let client = Client::new(None).with_share(Some(share));
        client.scope(slots.acquire(purpose)).await
    }

    fn now(slots: &Arc<FairSlots>, share: u64, purpose: Use) -> Option<Slot> {
        let acquired = acquire(slots, share, purpose).now_or_never();
        acquired.map(|slot| slot.expect("a slot"))
    }

    #[tokio::test]
    async fn a_client_at_its_limit_waits_while_others_proceed() {
        let slots = slots();
        let first = now(&slots, 1, Use::Read).expect("free");
        let _second = now(&slots, 1, Use::Read).expect("free");
        let mut third = Box::pin(acquire(&slots, 1, Use::Read));
        assert!((&mut third).now_or_never().is_none());
        let _write = now(&slots, 1, Use::Write).expect("a write passes");
        let other = now(&slots, 2, Use::Read).expect("another client passes");
        drop(other);
        assert!((&mut third).now_or_never().is_none());
        drop(first);
        third.await.expect("a turn");
    }

    #[tokio::test]
    async fn reads_leave_the_reserved_slots_to_writes() {
        let slots = slots();
        let _reads: Vec<_> = (1..4).map(|share| now(&slots, share, Use::Read)).collect();
        assert!(now(&slots, 4, Use::Read).is_none());
        assert!(now(&slots, 4, Use::Write).is_some());
    }

    #[tokio::test]
    async fn a_free_slot_goes_to_the_client_that_holds_the_fewest() {
        let slots = slots();
        let mut held: Vec<_> = (0..2).map(|_| now(&slots, 1, Use::Read)).collect();
        held.push(now(&slots, 2, Use::Read));
        held.push(now(&slots, 2, Use::Write));
        let mut of_first = Box::pin(acquire(&slots, 2, Use::Write));
        assert!((&mut of_first).now_or_never().is_none());
        let mut of_third = Box::pin(acquire(&slots, 3, Use::Write));
        assert!((&mut of_third).now_or_never().is_none());
        held.remove(0);
        assert!((&mut of_first).now_or_never().is_none());
        of_third.await.expect("a turn");
        of_first.await.expect("the next turn");
    }

    #[tokio::test]
    async fn a_dropped_request_frees_its_slot() {
        let slots = slots();
        let mut held: Vec<_> = (0..2).map(|_| now(&slots, 1, Use::Read)).collect();
        let mut dropped = Box::pin(acquire(&slots, 1, Use::Read));
        assert!((&mut dropped).now_or_never().is_none());
        held.clear();
        drop(dropped);
        assert_eq!(slots.state.lock().held.all(), 0);
        assert!(slots.state.lock().clients.is_empty());
    }

    #[tokio::test]
    async fn a_request_without_a_slot_in_time_is_busy() {
        let slots = FairSlots::new(SIZES, Duration::from_millis(5));
        let _held: Vec<_> = (0..2).map(|_| now(&slots, 1, Use::Read)).collect();
        let outcome = acquire(&slots, 1, Use::Read).await;
        assert!(matches!(outcome, Err(Error::Busy)));
    }

    #[tokio::test]
    async fn a_request_is_busy_at_once_if_the_queue_of_its_client_does_not_move() {
        let slots = slots();
        let _held: Vec<_> = (0..2).map(|_| now(&slots, 1, Use::Read)).collect();
        let mut first = Box::pin(acquire(&slots, 1, Use::Read));
        assert!((&mut first).now_or_never().is_none());
        if let Some(client) = slots.state.lock().clients.get_mut(&Some(1)) {
            client.waiting[0].since -= Duration::from_secs(6);
        }
        let second = acquire(&slots, 1, Use::Read).now_or_never();
        assert!(matches!(second, Some(Err(Error::Busy))));
        assert!(now(&slots, 2, Use::Read).is_some());
    }

    #[tokio::test]
    async fn the_service_itself_is_limited_by_the_total_only() {
        let slots = slots();
        let mut held = Vec::new();
        for _ in 0..SIZES.total {
            held.push(slots.acquire(Use::Write).now_or_never().expect("free"));
        }
        assert!(slots.acquire(Use::Write).now_or_never().is_none());
    }
}
