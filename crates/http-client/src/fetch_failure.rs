use crate::Failure;

/// The reason why a request brought no answer that can be used.
#[derive(Debug, thiserror::Error)]
pub enum FetchFailure {
    #[error("The receiver answered with a redirect.")]
    Redirect,
    #[error("The answer of the receiver is too large.")]
    TooLarge,
    #[error(transparent)]
    NoAnswer(#[from] Failure),
}
