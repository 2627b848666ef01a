use std::net::IpAddr;

/// The reason why a request got no answer. Its text is shown to operators.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error(
        "The address {0} is not public, or it is one of this machine; name its network with \
         --webhook-networks to allow it."
    )]
    Forbidden(IpAddr),
    #[error(transparent)]
    Http(#[from] http_client::Failure),
}
