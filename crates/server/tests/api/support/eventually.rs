use std::time::Duration;

use tokio::time::Instant;

/// Long enough on a machine that is busy with other work. A test that passes does not wait.
const TIMEOUT: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(5);

/// Polls until `done`, for changes that no event reports.
pub async fn eventually(what: &str, mut done: impl AsyncFnMut() -> bool) {
    let end = Instant::now() + TIMEOUT;
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

/// Polls for a second, the time in which other instances must follow. It counts pauses instead of
/// reading the clock, so that a machine that stops for a while does not count as late.
pub async fn within_a_second(what: &str, mut done: impl AsyncFnMut() -> bool) {
    for _ in 0..1000 / PAUSE.as_millis() {
        if done().await {
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
    panic!("not within a second: {what}");
}
