//! `Readiness`: whether the database can be read and written, and the service accepts requests.
//! Probes are frequent, so the state of the database is cached.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use db::Db;
use tokio::sync::Mutex;

use crate::{Error, Result};

/// How long a result is cached.
const MAX_AGE: Duration = Duration::from_secs(1);

/// How long a successful write proves that the database can be written.
const WRITE_MAX_AGE: Duration = Duration::from_secs(5);

/// After this time the database counts as not ready.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The longest interval between probes of a load balancer.
const PROBE_INTERVAL: Duration = Duration::from_secs(60);

#[derive(Default)]
pub struct Readiness {
    last: Mutex<Last>,
    is_draining: AtomicBool,
    probed: parking_lot::Mutex<Option<Instant>>,
}

#[derive(Default)]
struct Last {
    checked: Option<(Instant, Outcome)>,
    written: Option<Instant>,
}

#[derive(Clone, Copy)]
enum Outcome {
    Ready,
    Busy,
    NotWritable,
    Unavailable,
}

impl Readiness {
    /// Makes the service report that it is not ready, so that load balancers send new requests
    /// elsewhere. Requests that arrive are still answered.
    pub fn begin_drain(&self) {
        self.is_draining.store(true, Ordering::Relaxed);
    }

    pub fn is_draining(&self) -> bool {
        self.is_draining.load(Ordering::Relaxed)
    }

    /// Returns `true` if the readiness of the service is probed regularly.
    pub fn is_probed(&self) -> bool {
        let probed = *self.probed.lock();
        probed.is_some_and(|at| at.elapsed() < PROBE_INTERVAL)
    }

    /// Checks the database. Concurrent probes share one check and its result.
    pub async fn check(&self, db: &Db) -> Result<()> {
        *self.probed.lock() = Some(Instant::now());
        if self.is_draining() {
            return Err(Error::Stopping);
        }
        let mut last = self.last.lock().await;
        let outcome = match last.checked {
            Some((at, outcome)) if at.elapsed() < MAX_AGE => outcome,
            _ => {
                let outcome = match tokio::time::timeout(TIMEOUT, last.probe(db)).await {
                    Ok(Ok(())) => Outcome::Ready,
                    Ok(Err(error)) => Outcome::of(error),
                    Err(_) => Outcome::Busy,
                };
                last.checked = Some((Instant::now(), outcome));
                outcome
            }
        };
        match outcome {
            Outcome::Ready => Ok(()),
            Outcome::Busy => Err(Error::Busy),
            Outcome::NotWritable => Err(Error::NotWritable),
            Outcome::Unavailable => Err(Error::Unavailable),
        }
    }
}

impl Last {
    async fn probe(&mut self, db: &Db) -> Result<()> {
        db.check_readable().await?;
        if self.written.is_none_or(|at| at.elapsed() >= WRITE_MAX_AGE) {
            self.written = None;
            db.check_writable().await?;
            self.written = Some(Instant::now());
        }
        Ok(())
    }
}

impl Outcome {
    fn of(error: Error) -> Self {
        match error {
            Error::Busy => Self::Busy,
            Error::NotWritable => Self::NotWritable,
            Error::Internal(cause) => {
                tracing::error!(%cause, "the database is not ready");
                Self::Unavailable
            }
            _ => Self::Unavailable,
        }
    }
}
