//! Writes the files that `server::documents` embeds; `scripts/openapi` runs it.

use std::path::Path;
use std::{env, fs, io};

use server::openapi;

fn main() -> io::Result<()> {
    let Some(root) = env::args_os().nth(1) else {
        return Err(io::Error::other("usage: steward-openapi ROOT"));
    };
    let root = Path::new(&root);
    fs::write(root.join("openapi.json"), openapi::document())?;
    fs::write(root.join("openapi-3.0.json"), openapi::document_3_0())?;
    fs::write(root.join("crates/server/docs.html"), openapi::page())
}
