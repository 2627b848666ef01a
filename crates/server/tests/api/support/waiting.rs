use std::time::Duration;

use tokio::time::Instant;

/// Long for anything that goes on by itself, short for a person who waits for a failing test.
const PATIENCE: Duration = Duration::from_secs(8);
const PAUSE: Duration = Duration::from_millis(5);

/// Tries until it is so, for what no event tells of.
pub async fn eventually(what: &str, done: impl AsyncFnMut() -> bool) {
    poll(what, PATIENCE, done).await;
}

/// The same, for what other instances are promised.
pub async fn within_a_second(what: &str, done: impl AsyncFnMut() -> bool) {
    poll(what, Duration::from_secs(1), done).await;
}

async fn poll(what: &str, patience: Duration, mut done: impl AsyncFnMut() -> bool) {
    let end = Instant::now() + patience;
    loop {
        // The time is taken first, so that a slow answer is not taken for a late one.
        let late = Instant::now() >= end;
        if done().await {
            return;
        }
        assert!(!late, "not in time: {what}");
        tokio::time::sleep(PAUSE).await;
    }
}
