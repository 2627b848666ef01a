use std::time::Duration;

use tokio::time::Instant;

/// Long for a background job, short for a person waiting for a failing test.
const TIMEOUT: Duration = Duration::from_secs(8);
const PAUSE: Duration = Duration::from_millis(5);

/// Polls until `done`, for changes that no event reports.
pub async fn eventually(what: &str, done: impl AsyncFnMut() -> bool) {
    poll(what, TIMEOUT, done).await;
}

/// The same within a second, which is what other instances are promised.
pub async fn within_a_second(what: &str, done: impl AsyncFnMut() -> bool) {
    poll(what, Duration::from_secs(1), done).await;
}

async fn poll(what: &str, timeout: Duration, mut done: impl AsyncFnMut() -> bool) {
    let end = Instant::now() + timeout;
    loop {
        // The time is taken first, so that a slow check does not count as late.
        let late = Instant::now() >= end;
        if done().await {
            return;
        }
        assert!(!late, "not in time: {what}");
        tokio::time::sleep(PAUSE).await;
    }
}
