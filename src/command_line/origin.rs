//! Errors about values name where the value was set, which need not be the command line.

use std::collections::HashMap;
use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Error, Id};

use super::{CommandLine, is_secret};

/// What the value of an option is called where it was set, such as `STEWARD_LISTEN` or
/// `listen in line 3 of steward.toml`.
pub type Origins = HashMap<Id, String>;

/// Says in an error about an invalid value where it was set, and hides the value of a secret: a
/// mistyped password is still a secret.
pub fn explain(
    mut error: Error,
    mut command: clap::Command,
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
        && !is_on_command_line(args, &named)
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

/// Whether the invalid value is an argument: then the command line alone has the same error.
fn is_on_command_line(args: &[OsString], named: &str) -> bool {
    let alone = CommandLine::command().mut_args(|arg| arg.env(None::<&'static str>));
    let error = alone.try_get_matches_from(args).err();
    error.and_then(|error| invalid_arg(&error)).as_deref() == Some(named)
}
