//! `steward openapi`: prints the OpenAPI document.

use std::io::{ErrorKind, Write};

use crate::error::Result;

pub fn run() -> Result {
    let document = server::routes::document_text();
    match writeln!(std::io::stdout().lock(), "{document}") {
        // The reader may close the pipe early, as `head` does.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => Ok(written?),
    }
}
