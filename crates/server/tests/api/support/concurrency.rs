use std::sync::Arc;

use serde_json::Value;
use tokio::sync::Barrier;
use tokio::task::JoinHandle;

use super::{Answer, Client};

/// Runs all futures at once: none starts before all are ready. The results are in the order of the
/// futures.
pub async fn at_once<F>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output>
where
    F: Future<Output: Send> + Send + 'static,
{
    let futures: Vec<F> = futures.into_iter().collect();
    let gate = Arc::new(Barrier::new(futures.len()));
    let start = |future: F| {
        let gate = Arc::clone(&gate);
        tokio::spawn(async move {
            gate.wait().await;
            future.await
        })
    };
    let running: Vec<JoinHandle<F::Output>> = futures.into_iter().map(start).collect();
    let mut results = Vec::new();
    for task in running {
        results.push(task.await.expect("the task does not panic"));
    }
    results
}

/// Sends the requests of two sides; the flag says which side a request is on. Of three rounds, one
/// sends both sides at once, one the first side before the second, and one the second before the
/// first. So every order occurs, not only the one that chance prefers.
pub async fn in_every_order<F>(
    round: usize,
    requests: impl IntoIterator<Item = (bool, F)>,
) -> Vec<Answer>
where
    F: Future<Output = Answer> + Send + 'static,
{
    let (first, second): (Vec<_>, Vec<_>) = requests
        .into_iter()
        .partition(|(side, _)| *side == (round % 3 == 1));
    let send = |side: Vec<(bool, F)>| at_once(side.into_iter().map(|(_, request)| request));
    if round.is_multiple_of(3) {
        return send(first.into_iter().chain(second).collect()).await;
    }
    let mut answers = send(first).await;
    answers.extend(send(second).await);
    answers
}

/// Posts all bodies at once.
pub async fn post_at_once(
    client: &Client,
    path: &'static str,
    bodies: impl IntoIterator<Item = Value>,
) -> Vec<Answer> {
    let post = |body| {
        let client = client.clone();
        async move { client.post(path, body).await }
    };
    at_once(bodies.into_iter().map(post)).await
}

/// Asserts that one was created and the others got the fault that the field is taken.
pub fn assert_one_created(answers: &[Answer], field: &str) {
    assert_eq!(count(answers, 201), 1);
    for loser in answers.iter().filter(|answer| answer.status != 201) {
        loser.invalid(&[(field, "has already been taken")]);
    }
}

/// How many of the answers have this status.
pub fn count(answers: &[Answer], status: u16) -> usize {
    let matching = answers.iter().filter(|answer| answer.status == status);
    matching.count()
}
