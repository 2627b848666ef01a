//! Environment variables. Empty ones count as absent: compose files pass every variable they know.

use std::ffi::{OsStr, OsString};

use clap::Id;

use super::setting::is_secret;

pub const PREFIX: &str = "STEWARD_";

/// A variable's value, unless it is empty.
pub fn variable(name: impl AsRef<OsStr>) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}

/// The variable that names a file with the value of a secret variable.
pub fn file_variable(variable: &OsStr) -> OsString {
    let mut name = variable.to_owned();
    name.push("_FILE");
    name
}

/// Variables with the prefix of options that set none, such as mistyped ones.
pub fn unknown_variables(command: &clap::Command) -> Vec<String> {
    let mut known = Vec::new();
    for arg in command.get_arguments() {
        let Some(name) = arg.get_env() else { continue };
        known.push(name.to_owned());
        if is_secret(arg) {
            known.push(file_variable(name));
        }
    }
    let mut unknown: Vec<String> = std::env::vars_os()
        .filter(|(name, value)| !value.is_empty() && !known.contains(name))
        .filter_map(|(name, _)| name.into_string().ok())
        .filter(|name| name.starts_with(PREFIX))
        .collect();
    unknown.sort_unstable();
    unknown
}

pub fn without_empty_variables(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| match arg.get_env() {
        Some(name) if variable(name).is_none() && std::env::var_os(name).is_some() => {
            arg.env(None::<&'static str>)
        }
        _ => arg,
    })
}

/// The options that a variable sets, with its name.
pub fn origins(command: &clap::Command) -> impl Iterator<Item = (Id, String)> {
    command.get_arguments().filter_map(|arg| {
        let name = arg.get_env()?;
        variable(name)?;
        Some((arg.get_id().clone(), name.display().to_string()))
    })
}
