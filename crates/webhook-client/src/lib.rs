//! Sends webhooks: signed by the Standard Webhooks specification, and only to addresses that may
//! be contacted.
//!
//! | what | where |
//! |---|---|
//! | sending one request | [`Client`] |
//! | which addresses may be contacted | [`Networks`] |
//! | how names become addresses | [`Resolve`] |
//! | signing secrets and signatures | [`SigningSecret`] |

mod client;
mod failure;
mod networks;
mod resolver;
mod signature;
mod tls;

pub use self::client::{Answer, Client, MAX_ANSWER, TIME_LIMIT};
pub use self::failure::Failure;
pub use self::networks::{Networks, is_one_host, reached};
pub use self::resolver::{Resolve, Resolving, SystemResolver};
pub use self::signature::{Message, SigningSecret};
pub use url::Url;
