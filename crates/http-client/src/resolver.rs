//! Resolves the name of a receiver to addresses.

use std::fmt;
use std::future::Future;
use std::io;
use std::net::{IpAddr, ToSocketAddrs};
use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::Semaphore;

/// The future addresses of a name.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Resolves names. Tests implement it too.
pub trait Resolve: fmt::Debug + Send + Sync {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a>;
}

/// The number of names that the system resolves at once. Each takes a thread, even after its
/// request has timed out.
const CONCURRENT: usize = 32;

/// The resolver of the operating system.
#[derive(Clone, Debug)]
pub struct SystemResolver(Arc<Semaphore>);

impl Default for SystemResolver {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(CONCURRENT)))
    }
}

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        Box::pin(async move {
            let permit = Arc::clone(&self.0).acquire_owned().await;
            let permit = permit.map_err(io::Error::other)?;
            let name = name.to_owned();
            let resolve = move || {
                let _permit = permit;
                let found = (name.as_str(), 0).to_socket_addrs()?;
                Ok(found.map(|address| address.ip()).collect())
            };
            let resolved = tokio::task::spawn_blocking(resolve).await;
            resolved.map_err(io::Error::other)?
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_system_resolves_localhost_to_loopback() {
        let found = SystemResolver::default().resolve("localhost").await;
        let found = found.expect("every system has this name");
        assert!(!found.is_empty());
        assert!(found.iter().all(IpAddr::is_loopback), "{found:?}");
    }
}
