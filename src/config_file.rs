//! Parses the command line with `steward.toml` under it.
//!
//! The values in the file become the defaults of the flags, so one declaration parses, validates
//! and documents an option.

use std::path::{Path, PathBuf};

use clap::builder::OsStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Error, Parser};

const DEFAULT_FILE: &str = "steward.toml";

pub fn parse<C: Parser>() -> Result<C, Error> {
    let args: Vec<_> = std::env::args_os().collect();
    let command = C::command();
    // The first pass only looks for --config. The second one reports errors.
    let first = command.clone().ignore_errors(true).get_matches_from(&args);
    let named: Option<PathBuf> = first.get_one("config").cloned();
    let command = match named {
        Some(file) => with_defaults_from(&file, command)?,
        None if Path::new(DEFAULT_FILE).exists() => {
            with_defaults_from(Path::new(DEFAULT_FILE), command)?
        }
        None => command,
    };
    let matches = command.try_get_matches_from(args);
    C::from_arg_matches(&matches.map_err(hide_secrets::<C>)?)
}

/// An error about an invalid value quotes it, and a mistyped password is still a secret.
fn hide_secrets<C: CommandFactory>(mut error: Error) -> Error {
    let mut command = C::command();
    command.build();
    let mut secrets = command
        .get_arguments()
        .filter(|arg| arg.is_hide_env_values_set());
    let named = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    if secrets.any(|arg| Some(arg.to_string()) == named) {
        let hidden = ContextValue::String("***".into());
        error.insert(ContextKind::InvalidValue, hidden);
    }
    error
}

fn with_defaults_from(file: &Path, mut command: clap::Command) -> Result<clap::Command, Error> {
    let mut unchanged = command.clone();
    let mut fail =
        |reason: String| unchanged.error(ErrorKind::Io, format!("{}: {reason}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| fail(error.to_string()))?;
    let lines: toml::Table = text.parse().map_err(|error: toml::de::Error| {
        // The error's full text quotes the line, which may contain a secret.
        let before = error.span().and_then(|span| text.get(..span.start));
        let line = before.map_or(0, |before| before.matches('\n').count()) + 1;
        fail(format!("line {line}: {}", error.message()))
    })?;
    for (name, value) in lines {
        let is_named = |arg: &clap::Arg| {
            arg.get_long() == Some(&name) && arg.get_env().is_some() && name != "config"
        };
        let Some(arg) = command.get_arguments().find(|arg| is_named(arg)) else {
            return Err(fail(format!("there is no option called {name}")));
        };
        let is_list = arg.get_value_delimiter().is_some();
        let values = match value {
            toml::Value::Array(items) if is_list => items.into_iter().map(scalar).collect(),
            single => scalar(single).map(|single| vec![single]),
        };
        let Some(values) = values else {
            let kinds = if is_list {
                "a string or a list of strings"
            } else {
                "a string or a number"
            };
            return Err(fail(format!("{name} must be {kinds}")));
        };
        let id = arg.get_id().clone();
        command = command.mut_arg(id, |arg| {
            arg.default_values(values.into_iter().map(OsStr::from))
        });
    }
    Ok(command)
}

fn scalar(value: toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text),
        toml::Value::Integer(number) => Some(number.to_string()),
        _ => None,
    }
}
