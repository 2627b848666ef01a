//! The command line, with the environment and `steward.toml` under it.
//!
//! Values from files become the defaults of the flags, so one declaration parses, validates and
//! documents an option.

mod config_file;
mod environment;
mod help;
mod origin;
mod secret_files;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::builder::OsStr;
use clap::error::ErrorKind;
use clap::{CommandFactory, Error, FromArgMatches, Id, Parser};

use self::origin::Origins;
use crate::commands::Command;
use crate::options::Options;

/// Runs the back office of a game community: players, servers, roles, pages and payments.
///
/// Without a command, it serves the JSON API. It stores its data in its own folder and needs no
/// configuration.
///
/// Every option can also be set by the environment variable shown with it, or by a line in
/// steward.toml, such as `listen = "127.0.0.1:9000"`. Flags override the environment, and the
/// environment overrides the file.
#[derive(Parser)]
#[command(name = "steward", version, max_term_width = 100)]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Option<Command>,
    #[command(flatten)]
    pub options: Options,
}

/// The commands and options, whatever is set elsewhere.
pub fn declared() -> clap::Command {
    help::fold_common_options(CommandLine::command())
}

/// The value of an option that was set in a file.
struct Setting {
    id: Id,
    values: Vec<String>,
    is_secret: bool,
    file: PathBuf,
    /// Which part of the file it is, as an error names it.
    origin: String,
}

pub fn parse() -> Result<CommandLine, Error> {
    let args: Vec<OsString> = std::env::args_os().collect();
    let declared = declared();
    let mut command = environment::without_empty_variables(declared.clone());
    let mut settings = match config_file::find(&command, &args)? {
        Some(file) => config_file::read(&file, &declared)?,
        None => Vec::new(),
    };
    // The later ones override.
    settings.extend(secret_files::read(&declared)?);
    let mut origins = Origins::new();
    let mut files_with_secrets = Vec::new();
    for setting in settings {
        if setting.is_secret && !files_with_secrets.contains(&setting.file) {
            files_with_secrets.push(setting.file);
        }
        origins.insert(setting.id.clone(), setting.origin);
        command = command.mut_arg(setting.id, |arg| {
            arg.default_values(setting.values.into_iter().map(OsStr::from))
                .hide_default_value(setting.is_secret)
        });
    }
    origins.extend(environment::origins(&declared));

    let matches = command.clone().try_get_matches_from(&args);
    let matches = matches.map_err(|error| origin::explain(error, command, &args, &origins))?;
    let mut parsed = CommandLine::from_arg_matches(&matches)?;
    if let Some(fault) = parsed.options.fault() {
        return Err(refuse(ErrorKind::MissingRequiredArgument, fault));
    }
    parsed.options.files_with_secrets = files_with_secrets;
    parsed.options.unknown_variables = environment::unknown_variables(&declared);
    Ok(parsed)
}

/// An error without a usage, which would not help.
fn refuse(kind: ErrorKind, reason: impl std::fmt::Display) -> Error {
    Error::raw(kind, format!("{reason}\n"))
}

/// Whether the value must not be shown.
fn is_secret(arg: &clap::Arg) -> bool {
    arg.is_hide_env_values_set()
}
