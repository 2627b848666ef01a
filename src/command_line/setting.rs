use std::fmt::Display;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::{Error, Id};

/// The value of an option that was set in a file.
pub struct Setting {
    pub id: Id,
    pub values: Vec<String>,
    pub is_secret: bool,
    pub file: PathBuf,
    /// The place in the file, as error messages name it.
    pub origin: String,
}

/// An error without the usage, which would not help here.
pub fn refuse(kind: ErrorKind, reason: impl Display) -> Error {
    Error::raw(kind, format!("{reason}\n"))
}

/// Whether the value must not be shown.
pub fn is_secret(arg: &clap::Arg) -> bool {
    arg.is_hide_env_values_set()
}
