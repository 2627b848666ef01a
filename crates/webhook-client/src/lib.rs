//! Sends webhooks, signed by the Standard Webhooks specification, and only to addresses that may be
//! contacted.
//!
//! | looking for | type |
//! |---|---|
//! | sending one request | [`Client`] |
//! | the addresses that may be contacted | [`Networks`] |
//! | signing secrets and signatures | [`SigningSecret`] |

mod client;
mod failure;
mod networks;
mod own_addresses;
mod signature;

pub use self::client::{Client, TIME_LIMIT};
pub use self::failure::Failure;
pub use self::networks::{Networks, is_one_host, reached};
pub use self::own_addresses::{is_own, own_addresses};
pub use self::signature::{Message, SigningSecret};
pub use http_client::{Answer, MAX_ANSWER, Resolve, Resolving, SystemResolver, Url};
