//! Posts JSON to another server over HTTP or HTTPS. Time and size of the answer are limited, redirects
//! are not followed, and each request has a connection of its own.
//!
//! | what | where |
//! |---|---|
//! | sending one request | [`Client`] |
//! | how names become addresses | [`Resolve`] |
//! | why there is no answer | [`Failure`] |

mod client;
mod failure;
mod resolver;
#[cfg(feature = "testing")]
pub mod testing;
mod tls;

pub use self::client::{Answer, Client, MAX_ANSWER, Post, literal_address};
pub use self::failure::Failure;
pub use self::resolver::{Resolve, Resolving, SystemResolver};
pub use url::Url;
