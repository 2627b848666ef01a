use tokio::task::JoinSet;

use super::Answer;

/// Sends all requests at once; the answers come in no particular order.
pub async fn at_once<F>(requests: impl IntoIterator<Item = F>) -> Vec<Answer>
where
    F: Future<Output = Answer> + Send + 'static,
{
    let requests: JoinSet<Answer> = requests.into_iter().collect();
    requests.join_all().await
}

/// Sends requests of two sides, of which the flag tells: both at once, or one side after the other,
/// by turns. So whatever depends on who comes first is met for certain, and not only by chance.
pub async fn by_turns<F>(round: usize, requests: impl IntoIterator<Item = (bool, F)>) -> Vec<Answer>
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

/// How many of the answers have this status.
pub fn count(answers: &[Answer], status: u16) -> usize {
    let matching = answers.iter().filter(|answer| answer.status == status);
    matching.count()
}
