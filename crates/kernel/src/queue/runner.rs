//! Works on due lines in the background, each in a task of its own.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use db::Conn;
use futures_util::future::BoxFuture;
use tokio::sync::watch;
use tokio::task::JoinSet;

use super::{Queue, now};
use crate::{Core, Result};

/// How often the schedule is checked.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// The part of a queue that a slice implements.
pub trait Work: Send + Sync + 'static {
    fn queue(&self) -> &'static Queue;

    fn core(&self) -> &Core;

    fn stop(&self) -> &Stop;

    /// The lines among these that may be worked on now.
    fn open_lines<'a>(
        &'a self,
        conn: &'a mut Conn,
        lines: Vec<i64>,
        now: i64,
    ) -> BoxFuture<'a, Result<Vec<i64>>>;

    /// Leases a few due items of a line, works on them and stores the outcomes. Returns the pause
    /// before the next ones, if more may be due.
    fn work_on(&self, line: i64) -> BoxFuture<'_, Result<Option<Duration>>>;
}

/// Tells background work that the service stops.
#[derive(Debug, Default)]
pub struct Stop(watch::Sender<bool>);

impl Stop {
    /// Makes [`run`] return once the work under way has ended.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    pub fn is_stopping(&self) -> bool {
        *self.0.borrow()
    }

    /// Waits for this time, or until the service stops.
    pub async fn pause(&self, time: Duration) {
        let mut stopping = self.0.subscribe();
        let stopped = stopping.wait_for(|stopping| *stopping);
        let _ = tokio::time::timeout(time, stopped).await;
    }
}

/// Works until the service stops, and returns when the outcomes are stored.
pub async fn run(work: Arc<dyn Work>) {
    let mut runner = Runner::new(work);
    while !runner.work.stop().is_stopping() {
        if let Err(error) = runner.start_due().await {
            let kind = runner.work.queue().kind;
            tracing::warn!(%error, kind, "the queue could not be read; retrying");
        }
        runner.work.stop().pause(CHECK_INTERVAL).await;
    }
    while runner.tasks.join_next().await.is_some() {}
}

/// Works on everything that is due, and returns when the outcomes are stored.
pub async fn once(work: Arc<dyn Work>) -> Result<()> {
    let mut runner = Runner::new(work);
    runner.start_due().await?;
    while runner.tasks.join_next().await.is_some() {}
    Ok(())
}

struct Runner {
    work: Arc<dyn Work>,
    /// One task for each line that this instance works on; it returns the line.
    tasks: JoinSet<i64>,
    busy: HashSet<i64>,
}

impl Runner {
    fn new(work: Arc<dyn Work>) -> Self {
        Self {
            work,
            tasks: JoinSet::new(),
            busy: HashSet::new(),
        }
    }

    /// Starts a task for each line with due items.
    async fn start_due(&mut self) -> Result<()> {
        while let Some(ended) = self.tasks.try_join_next() {
            match ended {
                Ok(line) => self.busy.remove(&line),
                // A task panicked. Its line is unknown, so all may be started again.
                Err(_) => {
                    self.busy.clear();
                    false
                }
            };
        }
        let now = now(self.work.core());
        let mut read = self.work.core().db.read().await?;
        let mut due = self.work.queue().due_lines(&mut read, now).await?;
        due.retain(|line| !self.busy.contains(line));
        if !due.is_empty() {
            due = self.work.open_lines(&mut read, due, now).await?;
        }
        drop(read);
        for line in due {
            self.busy.insert(line);
            self.tasks.spawn(work_on(Arc::clone(&self.work), line));
        }
        Ok(())
    }
}

/// Works on one line until nothing of it is due.
async fn work_on(work: Arc<dyn Work>, line: i64) -> i64 {
    loop {
        match work_once(&*work, line).await {
            Ok(Some(rest)) => work.stop().pause(rest).await,
            Ok(None) => return line,
            Err(error) => {
                let kind = work.queue().kind;
                tracing::warn!(%error, kind, line, "an item of the queue failed; retrying");
                return line;
            }
        }
    }
}

async fn work_once(work: &dyn Work, line: i64) -> Result<Option<Duration>> {
    let now = now(work.core());
    let mut read = work.core().db.read().await?;
    let next = work.queue().next_due(&mut read, line, now).await?;
    drop(read);
    match next {
        Some(_) => work.work_on(line).await,
        None => Ok(None),
    }
}
