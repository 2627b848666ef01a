use std::io::Write;

use crate::Outcome;

pub fn run() -> Outcome {
    let document = server::http::document_text();
    let mut out = std::io::stdout().lock();
    Ok(writeln!(out, "{document}")?)
}
