//! Prints lists: as a table for people, or as JSON for programs.

use std::fmt;

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

/// Prints `{"NAME": [ITEM, ...]}`, the form of lists in the API.
pub fn print_json(name: &str, items: impl Iterator<Item = Value>) -> Result {
    let list = json!({ name: items.collect::<Vec<_>>() });
    Ok(print_line!("{list:#}")?)
}

/// A list too long for memory, printed item by item in the same formats.
pub struct StreamedList {
    is_json: bool,
    is_empty: bool,
}

impl StreamedList {
    pub fn begin(format: &ListFormat, name: &str) -> Result<Self> {
        if format.json {
            print_line!("{{\"{name}\": [")?;
        }
        Ok(Self {
            is_json: format.json,
            is_empty: true,
        })
    }

    /// Prints the line above the table.
    pub fn print_head(&self, line: fmt::Arguments<'_>) -> Result {
        match self.is_json {
            true => Ok(()),
            false => Ok(print_line!("{line}")?),
        }
    }

    pub fn print_item(&mut self, item: Value, row: impl FnOnce() -> String) -> Result {
        if !self.is_json {
            return Ok(print_line!("{}", row())?);
        }
        let comma = if self.is_empty { "" } else { "," };
        self.is_empty = false;
        Ok(print_line!("{comma}{item}")?)
    }

    pub fn end(self) -> Result {
        match self.is_json {
            true => Ok(print_line!("]}}")?),
            false => Ok(()),
        }
    }
}
