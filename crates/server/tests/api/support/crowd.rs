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

/// How many of the answers have this status.
pub fn count(answers: &[Answer], status: u16) -> usize {
    let matching = answers.iter().filter(|answer| answer.status == status);
    matching.count()
}
