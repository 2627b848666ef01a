//! Sends requests to another server over HTTP or HTTPS: JSON that is posted without much regard for
//! the answer, or a GET, a form, a PUT or a DELETE whose answer is needed. Time and size of the answer are limited,
//! redirects are not followed, and each request has its own connection.
//!
//! | looking for | type |
//! |---|---|
//! | sending one request | [`Client`] |
//! | name resolution | [`Resolve`] |
//! | reasons for a missing answer, or for one that cannot be used | [`Failure`], [`FetchFailure`] |

mod client;
mod failure;
mod fetch_failure;
mod resolver;
#[cfg(feature = "testing")]
pub mod testing;
mod tls;

pub use self::client::{Action, Answer, Client, Fetch, Fetched, MAX_ANSWER, Post, literal_address};
pub use self::failure::Failure;
pub use self::fetch_failure::FetchFailure;
pub use self::resolver::{Resolve, Resolving, SystemResolver};
pub use url::Url;
