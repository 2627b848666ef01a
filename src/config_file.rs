//! Parses the command line with `steward.toml` under it.
//!
//! The values in the file become the defaults of the flags, so one declaration parses, validates
//! and documents an option. Secrets can also be in files of their own.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clap::builder::OsStr;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Error, Parser};

const DEFAULT_FILE: &str = "steward.toml";

/// Where systemd puts the files of `LoadCredential=`.
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";

/// The command line, and the files that secrets were read from.
pub fn parse<C: Parser>() -> Result<(C, Vec<PathBuf>), Error> {
    let args: Vec<_> = std::env::args_os().collect();
    let command = C::command();
    // The first pass only looks for --config. The second one reports errors.
    let first = command.clone().ignore_errors(true).get_matches_from(&args);
    let named: Option<PathBuf> = first.get_one("config").cloned();
    let default = Path::new(DEFAULT_FILE);
    let mut secret_files = Vec::new();
    let command = match named {
        Some(file) => with_defaults_from(&file, command, &mut secret_files)?,
        None if default.exists() => {
            refuse_foreign(default, &command)?;
            with_defaults_from(default, command, &mut secret_files)?
        }
        None => command,
    };
    let command = with_secrets_from_files(command, &mut secret_files)?;
    let matches = command.try_get_matches_from(args);
    let parsed = C::from_arg_matches(&matches.map_err(hide_secrets::<C>)?)?;
    Ok((parsed, secret_files))
}

fn is_secret(arg: &clap::Arg) -> bool {
    arg.is_hide_env_values_set()
}

/// A file in the working directory was not chosen by the user, so it must not be another user's:
/// it could send `sudo steward` to another database.
fn refuse_foreign(file: &Path, command: &clap::Command) -> Result<(), Error> {
    let Ok(metadata) = file.metadata() else {
        return Ok(());
    };
    let user = rustix::process::geteuid().as_raw();
    if is_trusted(metadata.uid(), metadata.mode(), user) {
        return Ok(());
    }
    let file = file.display();
    let reason = format!(
        "{file} in the working directory belongs to another user, or everyone can write to it, so \
         it is not read. To use it, name it with --config {file}"
    );
    Err(command.clone().error(ErrorKind::Io, reason))
}

fn is_trusted(owner: u32, mode: u32, user: u32) -> bool {
    (owner == user || owner == 0) && mode & 0o002 == 0
}

/// Reads secrets from the file that `STEWARD_<OPTION>_FILE` names, or from a credential of systemd
/// with the option's name.
fn with_secrets_from_files(
    mut command: clap::Command,
    secret_files: &mut Vec<PathBuf>,
) -> Result<clap::Command, Error> {
    let secrets: Vec<clap::Arg> = command
        .get_arguments()
        .filter(|arg| is_secret(arg))
        .cloned()
        .collect();
    for arg in secrets {
        let (Some(variable), Some(name)) = (arg.get_env(), arg.get_long()) else {
            continue;
        };
        let mut file_variable = OsString::from(variable);
        file_variable.push("_FILE");
        let credential = std::env::var_os(CREDENTIALS).map(|folder| Path::new(&folder).join(name));
        let credential = credential.filter(|file| file.exists());
        let named = std::env::var_os(&file_variable).map(PathBuf::from);
        let sources = [
            std::env::var_os(variable).map(|_| variable.display().to_string()),
            named.as_ref().map(|_| file_variable.display().to_string()),
            credential
                .as_ref()
                .map(|_| format!("the credential {name}")),
        ];
        let sources: Vec<String> = sources.into_iter().flatten().collect();
        let mut fail = |reason| command.error(ErrorKind::Io, reason);
        if sources.len() > 1 {
            let sources = sources.join(" and ");
            return Err(fail(format!("{sources} are set; set only one of them")));
        }
        let Some(file) = named.or(credential) else {
            continue;
        };
        let shown = file.display();
        let text = std::fs::read_to_string(&file);
        let text = text.map_err(|error| fail(format!("{shown}: {error}")))?;
        let value = text.trim_end_matches(['\r', '\n']).to_owned();
        if value.is_empty() {
            return Err(fail(format!("{shown} is empty")));
        }
        secret_files.push(file);
        command = command.mut_arg(arg.get_id(), |arg| {
            arg.default_value(OsStr::from(value))
                .hide_default_value(true)
        });
    }
    Ok(command)
}

/// An error about an invalid value quotes it, and a mistyped password is still a secret.
fn hide_secrets<C: CommandFactory>(mut error: Error) -> Error {
    let mut command = C::command();
    command.build();
    let mut secrets = command.get_arguments().filter(|arg| is_secret(arg));
    let named = error.get(ContextKind::InvalidArg).map(ToString::to_string);
    if secrets.any(|arg| Some(arg.to_string()) == named) {
        let hidden = ContextValue::String("***".into());
        error.insert(ContextKind::InvalidValue, hidden);
    }
    error
}

fn with_defaults_from(
    file: &Path,
    mut command: clap::Command,
    secret_files: &mut Vec<PathBuf>,
) -> Result<clap::Command, Error> {
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
        let (id, is_secret) = (arg.get_id().clone(), is_secret(arg));
        if is_secret && !secret_files.iter().any(|known| known == file) {
            secret_files.push(file.to_owned());
        }
        command = command.mut_arg(id, |arg| {
            arg.default_values(values.into_iter().map(OsStr::from))
                .hide_default_value(is_secret)
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

#[cfg(test)]
mod tests {
    use super::is_trusted;

    #[test]
    fn a_file_of_the_user_or_root_that_not_everyone_can_write_to_is_trusted() {
        for (owner, mode, user, trusted) in [
            (1000, 0o100644, 1000, true),
            (0, 0o100644, 1000, true),
            (0, 0o100600, 0, true),
            (1000, 0o100644, 0, false),
            (1001, 0o100600, 1000, false),
            (1000, 0o100666, 1000, false),
            (0, 0o100646, 0, false),
        ] {
            assert_eq!(is_trusted(owner, mode, user), trusted, "{owner} {mode:o}");
        }
    }
}
