//! Counts requests and summarises them.

use std::time::Duration;

use serde::Serialize;

const MESSAGES_KEPT: usize = 5;

/// The counts of a run.
#[derive(Default)]
pub struct Tally {
    /// The duration of each counted request, in nanoseconds.
    pub times: Vec<u64>,
    /// The number of requests including the warm-up.
    pub all: u64,
    pub errors: u64,
    pub messages: Vec<String>,
    pub by_request: Vec<Bodies>,
}

#[derive(Clone, Default)]
pub struct Bodies {
    pub count: u64,
    pub bytes: u64,
}

/// The summary of a run, with times in microseconds.
#[derive(Serialize)]
pub struct Summary {
    pub requests: usize,
    /// The requests including the warm-up, to divide the processor time by, which includes it too.
    pub all_requests: u64,
    pub errors: u64,
    pub messages: Vec<String>,
    pub seconds: f64,
    pub per_second: f64,
    pub p50: f64,
    pub p99: f64,
    pub max: f64,
    /// The mean size of a body, for each kind of request.
    pub bytes: Vec<u64>,
    /// Whether the run ended because all values were used.
    pub values_used_up: bool,
}

impl Tally {
    pub fn error(&mut self, message: String) {
        self.errors += 1;
        if self.messages.len() < MESSAGES_KEPT {
            self.messages.push(message);
        }
    }

    pub fn summary(mut self, measured: Duration, values_used_up: bool) -> Summary {
        if self.times.is_empty() {
            self.error("no request was answered while measuring".into());
        }
        self.times.sort_unstable();
        let seconds = measured.as_secs_f64();
        Summary {
            requests: self.times.len(),
            all_requests: self.all,
            errors: self.errors,
            seconds,
            per_second: self.times.len() as f64 / seconds.max(f64::EPSILON),
            p50: percentile(&self.times, 0.50),
            p99: percentile(&self.times, 0.99),
            max: percentile(&self.times, 1.0),
            bytes: self
                .by_request
                .iter()
                .map(|bodies| bodies.bytes / bodies.count.max(1))
                .collect(),
            messages: self.messages,
            values_used_up,
        }
    }
}

/// The smallest of the sorted times that at least this share of them does not exceed. Converts
/// nanoseconds to microseconds.
fn percentile(sorted: &[u64], share: f64) -> f64 {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    let found = sorted.get(rank.max(1) - 1);
    found.map_or(0.0, |nanoseconds| *nanoseconds as f64 / 1e3)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{Bodies, Tally, percentile};

    #[test]
    fn a_percentile_is_one_of_the_measured_times() {
        let times: Vec<u64> = (1..=100).map(|n| n * 1000).collect();
        for (share, expected) in [(0.0, 1.0), (0.5, 50.0), (0.99, 99.0), (1.0, 100.0)] {
            assert_eq!(percentile(&times, share), expected);
        }
        assert_eq!(percentile(&[7000], 0.5), 7.0);
        assert_eq!(percentile(&[1000, 2000, 3000], 0.5), 2.0);
        assert_eq!(percentile(&[1000, 2000, 3000], 0.99), 3.0);
    }

    #[test]
    fn a_summary_has_rates_percentiles_and_mean_sizes() {
        let tally = Tally {
            times: vec![3000, 1000],
            all: 5,
            by_request: vec![
                Bodies {
                    count: 4,
                    bytes: 40,
                },
                Bodies::default(),
            ],
            ..Tally::default()
        };
        let summary = tally.summary(Duration::from_millis(500), false);
        assert_eq!((summary.requests, summary.all_requests), (2, 5));
        assert_eq!((summary.per_second, summary.errors), (4.0, 0));
        assert_eq!((summary.p50, summary.max), (1.0, 3.0));
        assert_eq!(summary.bytes, [10, 0]);
    }

    #[test]
    fn a_run_without_requests_is_an_error() {
        let summary = Tally::default().summary(Duration::from_secs(1), false);
        assert_eq!((summary.requests, summary.errors), (0, 1));
    }
}
