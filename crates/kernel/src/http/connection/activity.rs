//! Tracks the requests of one HTTP/2 connection.
//!
//! Requests share the connection, so the HTTP/1.1 limits on reading and writing the socket do not
//! see individual requests: a client can stall a response by flow control while the connection
//! looks alive. So each response is watched.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::slots::Slot;
use super::write_timeout::Pace;

/// A response is passed on in parts of this size, each when the client has room for some of it.
/// This bounds the bytes that wait for the client unwatched.
const PART_BYTES: usize = 16 << 10;

/// Cancelled requests that are allowed even if fewer complete.
const CANCELLED: u64 = 100;

pub struct Activity {
    pace: Pace,
    state: Mutex<State>,
    /// Signals that a check is due now.
    due: Notify,
}

struct State {
    /// The running requests.
    requests: HashMap<u64, Progress>,
    begun: u64,
    completed: u64,
    cancelled: u64,
    idle_since: Instant,
}

/// How fast the client takes a response.
#[derive(Default)]
struct Progress {
    /// When the client was given the current part, or could take the first one.
    waiting_since: Option<Instant>,
    /// Waiting time in the current period.
    waited: Duration,
    accepted: u64,
    /// Waiting time since the response began, and what was taken of it.
    total_waited: Duration,
    total_accepted: u64,
    /// The size of the current part.
    given: u64,
}

/// The decision about the connection.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    Keep,
    /// No request has run for this long.
    Idle(Duration),
    /// The client reads too slowly, or cancels too many requests.
    Abort,
}

impl Activity {
    pub fn new(pace: Pace) -> Arc<Self> {
        Arc::new(Self {
            pace,
            state: Mutex::new(State {
                requests: HashMap::new(),
                begun: 0,
                completed: 0,
                cancelled: 0,
                idle_since: Instant::now(),
            }),
            due: Notify::new(),
        })
    }

    pub fn begin(self: &Arc<Self>) -> Running {
        let mut state = self.state.lock();
        state.begun += 1;
        let id = state.begun;
        state.requests.insert(id, Progress::default());
        Running {
            activity: Arc::clone(self),
            id,
            is_complete: false,
        }
    }

    /// Returns when a check is due at once: cancelled requests may arrive fast.
    pub async fn due(&self) {
        self.due.notified().await;
    }

    pub fn verdict(&self) -> Verdict {
        let now = Instant::now();
        let mut state = self.state.lock();
        let pace = self.pace;
        let is_slow = state.requests.values_mut().any(|r| r.is_slow(pace, now));
        if is_slow || state.has_cancelled_too_many() {
            Verdict::Abort
        } else if state.requests.is_empty() {
            Verdict::Idle(now - state.idle_since)
        } else {
            Verdict::Keep
        }
    }
}

impl State {
    fn has_cancelled_too_many(&self) -> bool {
        self.cancelled > CANCELLED.max(self.completed)
    }
}

impl Progress {
    fn is_slow(&mut self, pace: Pace, now: Instant) -> bool {
        let Some(since) = self.waiting_since else {
            return false;
        };
        let waiting = now - since;
        let is_over = self.total_waited + waiting >= pace.total_time(self.total_accepted);
        if waiting >= pace.period || is_over {
            return true;
        }
        if self.waited + waiting < pace.period {
            return false;
        }
        let is_slow = self.accepted < pace.bytes;
        // The next period begins.
        (self.waited, self.accepted) = (Duration::ZERO, 0);
        is_slow
    }

    /// Records that the client has taken the current part.
    fn taken(&mut self, now: Instant) {
        if let Some(since) = self.waiting_since.take() {
            self.waited += now - since;
            self.accepted += self.given;
            self.total_waited += now - since;
            self.total_accepted += self.given;
        }
    }

    fn give(&mut self, bytes: usize, now: Instant) {
        self.given = bytes as u64;
        self.waiting_since = Some(now);
    }
}

/// A request whose response has not been passed on completely.
pub struct Running {
    activity: Arc<Activity>,
    id: u64,
    is_complete: bool,
}

impl Running {
    /// Watches the response. Its slot is freed when the response ends.
    pub fn respond(mut self, body: Body, slot: Option<Slot>) -> Body {
        // An empty body is never polled, so it is complete already.
        self.is_complete = body.is_end_stream();
        self.with(|progress| progress.give(0, Instant::now()));
        Body::new(Watched {
            body,
            rest: Bytes::new(),
            running: self,
            _slot: slot,
        })
    }

    fn with(&self, change: impl FnOnce(&mut Progress)) {
        if let Some(progress) = self.activity.state.lock().requests.get_mut(&self.id) {
            change(progress);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut state = self.activity.state.lock();
        state.requests.remove(&self.id);
        state.idle_since = Instant::now();
        if self.is_complete {
            state.completed += 1;
        } else {
            state.cancelled += 1;
        }
        if state.has_cancelled_too_many() {
            self.activity.due.notify_one();
        }
    }
}

struct Watched {
    body: Body,
    rest: Bytes,
    running: Running,
    _slot: Option<Slot>,
}

impl HttpBody for Watched {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        this.running.with(|progress| progress.taken(Instant::now()));
        if this.rest.is_empty() {
            let frame = ready!(Pin::new(&mut this.body).poll_frame(cx));
            match frame.map(|frame| frame.map(Frame::into_data)) {
                Some(Ok(Ok(data))) => this.rest = data,
                Some(Ok(Err(other))) => return Poll::Ready(Some(Ok(other))),
                Some(Err(error)) => return Poll::Ready(Some(Err(error))),
                None => {
                    this.running.is_complete = true;
                    return Poll::Ready(None);
                }
            }
        }
        let part = this.rest.split_to(this.rest.len().min(PART_BYTES));
        this.running.is_complete = this.rest.is_empty() && this.body.is_end_stream();
        let bytes = part.len();
        this.running
            .with(|progress| progress.give(bytes, Instant::now()));
        Poll::Ready(Some(Ok(Frame::data(part))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.rest.len() as u64;
        let inner = self.body.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(inner.lower() + rest);
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;
    use crate::Limits;

    fn activity() -> Arc<Activity> {
        Activity::new(Pace::new(&Limits {
            send_time: Duration::from_secs(4),
            send_rate: 1024,
            response_time: Duration::from_secs(60),
            ..Limits::default()
        }))
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_that_is_not_taken_aborts_the_connection() {
        let activity = activity();
        let body = activity.begin().respond(Body::from(vec![0; 1 << 20]), None);
        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(activity.verdict(), Verdict::Keep);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!(activity.verdict(), Verdict::Abort);
        drop(body);
        assert_eq!(activity.verdict(), Verdict::Idle(Duration::ZERO));
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_that_is_taken_too_slowly_aborts_the_connection() {
        for (seconds, verdict) in [(1, Verdict::Keep), (3, Verdict::Abort)] {
            let activity = activity();
            // A client must take 4096 bytes in 4 seconds; each part has 3000 bytes.
            let parts = (0..9).map(|_| Ok::<_, axum::Error>(Bytes::from(vec![0; 3000])));
            let stream = futures_util::stream::iter(parts);
            let mut body = activity.begin().respond(Body::from_stream(stream), None);
            let mut last = Verdict::Keep;
            for _ in 0..8 {
                tokio::time::advance(Duration::from_secs(seconds)).await;
                last = activity.verdict();
                if last != Verdict::Keep {
                    break;
                }
                body.frame().await.expect("a part").expect("no error");
            }
            assert_eq!(last, verdict, "a part in {seconds} s");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_that_takes_too_long_in_all_aborts_the_connection() {
        // Both are above the minimum rate; the second reads 8 MiB in less than the total time.
        for (part, end) in [(9000, 60), (PART_BYTES, 600)] {
            let activity = activity();
            let part = Bytes::from(vec![0; part]);
            let part = move || Ok::<_, axum::Error>(part.clone());
            let parts = futures_util::stream::repeat_with(part);
            let mut body = activity.begin().respond(Body::from_stream(parts), None);
            let mut seconds = 0;
            while activity.verdict() == Verdict::Keep && seconds < 600 {
                tokio::time::advance(Duration::from_secs(1)).await;
                seconds += 1;
                for _ in 0..10 {
                    body.frame().await.expect("a part").expect("no error");
                }
            }
            assert_eq!(seconds, end);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_response_that_the_service_is_slow_to_make_keeps_the_connection() {
        let activity = activity();
        let mut body = activity.begin().respond(
            Body::from_stream(futures_util::stream::pending::<Result<Bytes, axum::Error>>()),
            None,
        );
        let waited = tokio::time::timeout(Duration::from_secs(60), body.frame()).await;
        assert!(waited.is_err());
        assert_eq!(activity.verdict(), Verdict::Keep);
    }

    #[tokio::test(start_paused = true)]
    async fn cancelled_requests_count_against_those_that_complete() {
        let activity = activity();
        for _ in 0..150 {
            let body = activity.begin().respond(Body::from("done"), None);
            assert_eq!(body.collect().await.expect("whole").to_bytes(), "done");
        }
        for _ in 0..150 {
            drop(activity.begin());
        }
        assert_eq!(activity.verdict(), Verdict::Idle(Duration::ZERO));
        drop(activity.begin());
        assert_eq!(activity.verdict(), Verdict::Abort);
    }

    #[tokio::test(start_paused = true)]
    async fn parts_are_small_and_the_whole_is_unchanged() {
        let sent: Vec<u8> = (0..100_000_u32).map(|i| i as u8).collect();
        let mut body = activity().begin().respond(Body::from(sent.clone()), None);
        let mut received = Vec::new();
        while let Some(frame) = body.frame().await {
            let left = body.size_hint().exact();
            let part = frame.expect("no error").into_data().expect("data");
            assert!(part.len() <= PART_BYTES);
            received.extend_from_slice(&part);
            assert_eq!(left, Some((sent.len() - received.len()) as u64));
        }
        assert_eq!(received, sent);
    }
}
