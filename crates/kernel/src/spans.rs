//! The queue of request spans for the exporter.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use metrics::Counter;
use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::Metrics;

/// The trace of an answered request. It has no address and no path, which are or may contain
/// personal data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// Hexadecimal digits, as in `traceparent`.
    pub trace_id: String,
    pub id: String,
    /// The client's span, which the request is part of.
    pub parent_id: Option<String>,
    /// The start, as the time since 1970.
    pub begun: Duration,
    pub ended: Duration,
    pub method: &'static str,
    /// The pattern of the path; `None` if no route matched.
    pub route: Option<String>,
    pub status: u16,
    pub is_secure: bool,
    pub request_id: String,
    /// The key that authenticated the request, if any.
    pub key_id: Option<i64>,
}

/// A queue of spans to export. Requests never wait for it: when it is full, spans are dropped and
/// counted. Cheap to clone.
#[derive(Clone)]
pub struct SpanQueue(Arc<Queue>);

struct Queue {
    waiting: Mutex<VecDeque<Span>>,
    has_batch: Notify,
    dropped: Counter,
}

impl SpanQueue {
    /// The number of spans that can wait: about 1 MiB.
    pub const CAPACITY: usize = 4096;
    /// The number of spans sent at once.
    pub const BATCH: usize = 512;

    pub fn new(metrics: &Metrics) -> Self {
        let [dropped, ..] = ["full", "sent", "failed"]
            .map(|outcome| metrics.counter("steward_trace_spans_total", &[("outcome", outcome)]));
        Self(Arc::new(Queue {
            waiting: Mutex::default(),
            has_batch: Notify::new(),
            dropped,
        }))
    }

    pub fn push(&self, span: Span) {
        let mut waiting = self.0.waiting.lock();
        if waiting.len() >= Self::CAPACITY {
            self.0.dropped.increment(1);
            return;
        }
        waiting.push_back(span);
        if waiting.len() == Self::BATCH {
            self.0.has_batch.notify_one();
        }
    }

    /// Takes the oldest spans, at most [`BATCH`](Self::BATCH).
    pub fn take(&self) -> Vec<Span> {
        let mut waiting = self.0.waiting.lock();
        let count = waiting.len().min(Self::BATCH);
        waiting.drain(..count).collect()
    }

    /// Returns when a whole batch waits, or has waited since the last call.
    pub async fn batch(&self) {
        self.0.has_batch.notified().await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;

    use super::*;

    fn push(queue: &SpanQueue, numbers: std::ops::Range<usize>) {
        for number in numbers {
            queue.push(Span {
                id: format!("{number:016x}"),
                ..Span::default()
            });
        }
    }

    #[test]
    fn spans_leave_in_order_and_in_batches() {
        let queue = SpanQueue::new(&Metrics::default());
        assert_eq!(queue.take(), []);
        push(&queue, 0..SpanQueue::BATCH + 3);
        let batch = queue.take();
        assert_eq!(batch.len(), SpanQueue::BATCH);
        assert_eq!(batch[0].id, "0000000000000000");
        let rest = queue.take();
        assert_eq!(rest.len(), 3);
        assert_eq!(rest[0].id, format!("{:016x}", SpanQueue::BATCH));
        assert_eq!(queue.take(), []);
    }

    #[test]
    fn a_full_queue_drops_the_newest_spans() {
        let queue = SpanQueue::new(&Metrics::default());
        push(&queue, 0..SpanQueue::CAPACITY + 5);
        let mut last = None;
        let mut count = 0;
        while let batch = queue.take()
            && !batch.is_empty()
        {
            count += batch.len();
            last = batch.into_iter().next_back();
        }
        assert_eq!(count, SpanQueue::CAPACITY);
        let expected = format!("{:016x}", SpanQueue::CAPACITY - 1);
        assert_eq!(last.map(|span| span.id), Some(expected));
        push(&queue, 0..1);
        assert_eq!(queue.take().len(), 1, "there is room again");
    }

    #[test]
    fn a_whole_batch_wakes_the_exporter() {
        let queue = SpanQueue::new(&Metrics::default());
        push(&queue, 0..SpanQueue::BATCH - 1);
        assert!(queue.batch().now_or_never().is_none());
        push(&queue, 0..1);
        assert!(queue.batch().now_or_never().is_some());
    }
}
