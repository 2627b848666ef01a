use std::io;

/// The reason why a request got no answer. Its text is shown to operators.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("The URL is not one that can be contacted.")]
    Url,
    #[error("The name of the receiver cannot be resolved.")]
    Name(#[source] io::Error),
    #[error("The name of the receiver has no address.")]
    NoAddress,
    #[error("The receiver does not accept connections.")]
    Connection(#[source] io::Error),
    #[error("There is no secure connection to the receiver.")]
    Tls(#[source] io::Error),
    #[error("The receiver closed the connection or did not answer with HTTP.")]
    Protocol(#[source] hyper::Error),
    #[error("The receiver did not answer in time.")]
    Timeout,
}
