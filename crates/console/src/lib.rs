//! The web console, served from inside the program: the files of `console/dist` and their routes.
//! It depends on nothing else of the service. A debug build reads the files when it starts to serve
//! them, a release build contains them.
//!
//! | looking for | module |
//! |---|---|
//! | the files, their version and their compressed forms | [`files`] |
//! | the page that loads them, and its Content-Security-Policy | [`index`] |
//! | the form of a file that a client gets | [`encoding`] |
//! | paths and headers | [`http`] |

mod encoding;
mod files;
mod http;
mod index;

use rust_embed::RustEmbed;

pub use self::http::routes;

/// The files. `build.rs` refuses a release build without them.
#[derive(RustEmbed)]
#[folder = "../../console/dist"]
#[allow_missing = true]
struct Dist;
