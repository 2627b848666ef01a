//! Names the origin of an invalid value, which may be a variable or a file.

use std::collections::HashMap;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::{Error, Id};

use super::setting::is_secret;

/// The origin of each option's value, such as `STEWARD_LISTEN` or `listen in line 3 of
/// steward.toml`.
pub type Origins = HashMap<Id, String>;

/// Adds the origin to an error about an invalid value, and hides the value of a secret: a mistyped
/// password is still a secret.
pub fn explain(
    mut error: Error,
    mut command: clap::Command,
    declared: clap::Command,
    args: &[OsString],
    origins: &Origins,
) -> Error {
    let Some(named) = invalid_arg(&error) else {
        return error;
    };
    command.build();
    let mut options = command.get_arguments();
    let Some(option) = options.find(|arg| arg.to_string() == named) else {
        return error;
    };
    if is_secret(option) {
        let hidden = ContextValue::String("***".into());
        error.insert(ContextKind::InvalidValue, hidden);
    }
    if let Some(origin) = origins.get(option.get_id())
        && !is_on_command_line(declared, args, &named)
    {
        let origin = ContextValue::String(origin.clone());
        error.insert(ContextKind::InvalidArg, origin);
    }
    error
}

fn invalid_arg(error: &Error) -> Option<String> {
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(named)) => Some(named.clone()),
        _ => None,
    }
}

/// Whether the invalid value is an argument. Then the command line alone gives the same error.
fn is_on_command_line(declared: clap::Command, args: &[OsString], named: &str) -> bool {
    let alone = declared.mut_args(|arg| arg.env(None::<&'static str>));
    let error = alone.try_get_matches_from(args).err();
    error.and_then(|error| invalid_arg(&error)).as_deref() == Some(named)
}
