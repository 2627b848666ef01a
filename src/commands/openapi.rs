//! `steward openapi`: prints the OpenAPI document.

use crate::error::Result;
use crate::output::print_line;

pub fn run() -> Result {
    Ok(print_line!("{}", server::documents::OPENAPI.trim_end())?)
}
