//! The web console, served from inside the program: the files of `console/dist`, and the routes that
//! serve them. It knows nothing else of the service. A debug build reads the files when it starts
//! to serve them, a release build contains them.
//!
//! | looking for | module |
//! |---|---|
//! | which files there are, their version and their compressed forms | [`files`] |
//! | the page that loads them, and its Content-Security-Policy | [`index`] |
//! | which form of a file a client gets | [`encoding`] |
//! | addresses and headers | [`http`] |

mod encoding;
mod files;
mod http;
mod index;

use rust_embed::RustEmbed;

pub use self::http::routes;

/// `build.rs` refuses a release build without them.
#[derive(RustEmbed)]
#[folder = "../../console/dist"]
#[allow_missing = true]
struct Dist;
