//! Sends spans in batches, one request at a time.
//!
//! Spans need not be complete: a batch that the collector does not accept is dropped and counted,
//! so that a collector that is down costs neither memory nor time.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use http_client::{Client, Failure, Post, SystemResolver};
use kernel::{Kernel, Metrics, Span, SpanQueue};
use tokio::sync::watch;
use tokio::time::Instant;

use super::{Endpoint, json};

/// How long spans wait, to be sent together with others.
const INTERVAL: Duration = Duration::from_secs(3);
/// The time limit of a request.
const TIME_LIMIT: Duration = Duration::from_secs(10);
/// The time limit for sending the last spans when the service stops.
pub const STOP_TIME: Duration = Duration::from_secs(5);
/// The minimum time between two warnings about a failing collector.
const WARNING_INTERVAL: Duration = Duration::from_secs(60);

pub struct Exporter {
    endpoint: Endpoint,
    client: Client,
    /// Whether the service is stopping.
    stopping: watch::Sender<bool>,
}

/// Sends spans until [`Exporter::stop`], then the remaining ones.
pub fn run(exporter: Arc<Exporter>, kernel: Kernel) -> BoxFuture<'static, ()> {
    Box::pin(async move {
        let Some(spans) = &kernel.spans else {
            return;
        };
        let late = async {
            exporter.stopped().await;
            tokio::time::sleep(STOP_TIME).await;
        };
        tokio::select! {
            () = exporter.export(spans, &kernel.core.metrics) => {}
            () = late => {
                tracing::warn!("the last spans were not exported: the collector is too slow");
            }
        }
    })
}

impl Exporter {
    pub fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            client: Client::new(Arc::new(SystemResolver::default())),
            stopping: watch::Sender::new(false),
        }
    }

    /// Makes [`run`] send the remaining spans and return. Spans queued later are not sent.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    async fn stopped(&self) {
        let mut stopping = self.stopping.subscribe();
        // This cannot fail: the sender lives as long as this exporter.
        let _ = stopping.wait_for(|stopping| *stopping).await;
    }

    async fn export(&self, spans: &SpanQueue, metrics: &Metrics) {
        let mut warnings = Warnings::default();
        loop {
            tokio::select! {
                () = self.stopped() => {}
                () = spans.batch() => {}
                () = tokio::time::sleep(INTERVAL) => {}
            }
            let is_last = *self.stopping.borrow();
            // A batch that is not full is the last one for now.
            loop {
                let batch = spans.take();
                if batch.is_empty() {
                    break;
                }
                let sent = self.send(&batch).await;
                count(metrics, &batch, &sent);
                if let Err(reason) = sent {
                    warnings.add(&self.endpoint, batch.len(), &reason);
                }
                if batch.len() < SpanQueue::BATCH {
                    break;
                }
            }
            if is_last {
                return;
            }
        }
    }

    /// Sends a batch. The error is a message for the log.
    async fn send(&self, batch: &[Span]) -> Result<(), String> {
        let body = json::body(batch).map_err(|error| error.to_string())?;
        let url = self.endpoint.url();
        let end = Instant::now() + TIME_LIMIT;
        let posting = async {
            let addresses = self.client.resolve(url).await?;
            let post = Post {
                url,
                headers: &[],
                body: body.into(),
            };
            self.client.post(post, &addresses, end).await
        };
        let answer = tokio::time::timeout_at(end, posting).await;
        match answer.unwrap_or(Err(Failure::Timeout)) {
            Ok(answer) if (200..300).contains(&answer.status) => Ok(()),
            Ok(answer) => Err(format!("The collector answered with {}.", answer.status)),
            Err(failure) => Err(match failure.source() {
                Some(cause) => format!("{failure} {cause}"),
                None => failure.to_string(),
            }),
        }
    }
}

fn count(metrics: &Metrics, batch: &[Span], sent: &Result<(), String>) {
    let outcome = match sent {
        Ok(()) => "sent",
        Err(_) => "failed",
    };
    let spans = metrics.counter("steward_trace_spans_total", &[("outcome", outcome)]);
    spans.increment(batch.len() as u64);
}

/// Warns about failed requests, but not about each.
#[derive(Default)]
struct Warnings {
    last: Option<Instant>,
    /// Spans lost since the last warning.
    lost: usize,
}

impl Warnings {
    fn add(&mut self, endpoint: &Endpoint, spans: usize, reason: &str) {
        self.lost += spans;
        if self.is_due(Instant::now()) {
            let (url, spans) = (endpoint.url().as_str(), std::mem::take(&mut self.lost));
            tracing::warn!(url, spans, reason, "spans were not exported and are lost");
        }
    }

    fn is_due(&mut self, now: Instant) -> bool {
        let is_due = self.last.is_none_or(|last| now - last >= WARNING_INTERVAL);
        if is_due {
            self.last = Some(now);
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_warned_of_once_a_minute() {
        let mut warnings = Warnings::default();
        let begun = Instant::now();
        let at = |seconds| begun + Duration::from_secs(seconds);
        let due = [0, 1, 59, 60, 61, 119, 120].map(|seconds| warnings.is_due(at(seconds)));
        assert_eq!(due, [true, false, false, true, false, false, true]);
    }

    #[test]
    fn a_warning_tells_of_all_spans_that_were_lost_since_the_last_one() {
        let endpoint: Endpoint = "http://127.0.0.1:4318".parse().expect("a URL");
        let mut warnings = Warnings::default();
        warnings.add(&endpoint, 10, "The receiver did not answer in time.");
        assert_eq!(warnings.lost, 0);
        warnings.add(&endpoint, 10, "The receiver did not answer in time.");
        warnings.add(&endpoint, 5, "The receiver did not answer in time.");
        assert_eq!(warnings.lost, 15);
    }
}
