//! The command line, with the environment and `steward.toml` as its defaults.
//!
//! Values from files become the defaults of the flags, so one declaration parses, validates and
//! documents an option.

mod config_file;
#[cfg(test)]
mod configuration_page;
mod environment;
mod origin;
mod secret_files;
mod setting;

use std::ffi::OsString;

use clap::builder::OsStr;
use clap::error::ErrorKind;
use clap::{CommandFactory, Error, FromArgMatches, Parser};

use self::origin::Origins;
use self::setting::refuse;
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

/// The options that most calls need. `-h` shows only these; `--help` shows all.
const SHOWN_BY_SHORT_HELP: [&str; 4] = ["config", "listen", "data_dir", "database_url"];

/// The commands and options as declared, without values from files. All commands accept the options
/// of the program, and show them after their own.
pub fn declared() -> clap::Command {
    CommandLine::command().mut_args(|option| {
        let name = option.get_id().as_str();
        let is_shown = SHOWN_BY_SHORT_HELP.contains(&name);
        let variable = format!("{}{}", environment::PREFIX, name.to_uppercase());
        option
            .env(variable)
            .global(true)
            .help_heading("Common options")
            .hide_short_help(!is_shown)
    })
}

pub fn parse() -> Result<CommandLine, Error> {
    let args: Vec<OsString> = std::env::args_os().collect();
    let declared = declared();
    let mut command = environment::without_empty_variables(declared.clone());
    let mut settings = match config_file::find(&command, &args)? {
        Some(file) => config_file::read(&file, &declared)?,
        None => Vec::new(),
    };
    // Later settings override earlier ones.
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
    let matches = matches
        .map_err(|error| origin::explain(error, command, declared.clone(), &args, &origins))?;
    let mut parsed = CommandLine::from_arg_matches(&matches)?;
    if let Some(fault) = parsed.options.fault() {
        return Err(refuse(ErrorKind::MissingRequiredArgument, fault));
    }
    parsed.options.files_with_secrets = files_with_secrets;
    parsed.options.unknown_variables = environment::unknown_variables(&declared);
    Ok(parsed)
}
