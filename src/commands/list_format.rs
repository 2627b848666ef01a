//! How the command line prints a list: as a table for people, or as JSON for programs.

use clap::Args;
use serde_json::{Value, json};

use crate::error::Result;
use crate::output::print_line;

#[derive(Args)]
pub struct ListFormat {
    /// Print JSON instead of a table.
    #[arg(long)]
    pub json: bool,
}

/// Prints `{"NAME": [ITEM, ...]}`, as lists of the API are.
pub fn print_json(name: &str, items: impl Iterator<Item = Value>) -> Result {
    let list = json!({ name: items.collect::<Vec<_>>() });
    Ok(print_line!("{list:#}")?)
}
