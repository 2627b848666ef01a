//! `Readiness`: whether the database can be read and written. Probes come often, so it is cached.

use std::time::{Duration, Instant};

use db::Db;
use tokio::sync::Mutex;

use crate::{Error, Result};

/// How long an outcome is valid.
const MAX_AGE: Duration = Duration::from_secs(1);

/// How long a successful write proves that the database can be written.
const WRITE_MAX_AGE: Duration = Duration::from_secs(5);

/// After this time the database is too busy to be called ready.
const TIMEOUT: Duration = Duration::from_secs(5);

#[derive(Default)]
pub struct Readiness(Mutex<Last>);

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
    /// Of several probes at once, one checks and the others get its outcome.
    pub async fn check(&self, db: &Db) -> Result<()> {
        let mut last = self.0.lock().await;
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
