//! `steward.toml`.

use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use clap::Error;
use clap::error::ErrorKind;
use toml::de::{DeTable, DeValue};

use super::setting::{Setting, is_secret, refuse};

const DEFAULT_FILE: &str = "steward.toml";

/// The file that `--config` names, or `steward.toml` if there is one.
pub fn find(command: &clap::Command, args: &[OsString]) -> Result<Option<PathBuf>, Error> {
    // The next parser reports errors.
    let command = command.clone().ignore_errors(true);
    let named = command.get_matches_from(args);
    let named: Option<PathBuf> = named.get_one("config").cloned();
    let default = Path::new(DEFAULT_FILE);
    if named.is_none() && default.exists() {
        refuse_foreign(default)?;
        return Ok(Some(default.to_owned()));
    }
    Ok(named)
}

/// Refuses a file in the working directory that another user can write: the user did not name it,
/// and it could send `sudo steward` to another database.
fn refuse_foreign(file: &Path) -> Result<(), Error> {
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
    Err(refuse(ErrorKind::Io, reason))
}

fn is_trusted(owner: u32, mode: u32, user: u32) -> bool {
    (owner == user || owner == 0) && mode & 0o002 == 0
}

pub fn read(file: &Path, command: &clap::Command) -> Result<Vec<Setting>, Error> {
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| refuse(ErrorKind::Io, format!("{shown}: {error}")))?;
    let fail = |line: usize, reason: &str| {
        refuse(ErrorKind::Io, format!("{shown}: line {line}: {reason}"))
    };
    let table = DeTable::parse(&text).map_err(|error| {
        // The error's full text quotes the line, which may contain a secret.
        let start = error.span().map_or(0, |span| span.start);
        let line = line_at(&text, start);
        match has_bare_text(&text, line) {
            true => fail(line, "not a number; strings must be quoted"),
            false => fail(line, error.message()),
        }
    })?;
    let mut settings = Vec::new();
    for (name, value) in table.into_inner() {
        let line = line_at(&text, name.span().start);
        let name = name.into_inner();
        let is_named = |arg: &clap::Arg| {
            arg.get_long() == Some(&*name) && arg.get_env().is_some() && name != "config"
        };
        let Some(arg) = command.get_arguments().find(|arg| is_named(arg)) else {
            return Err(fail(line, &format!("there is no option called {name}")));
        };
        let is_list = arg.get_value_delimiter().is_some();
        let values = match value.get_ref() {
            DeValue::Array(items) if is_list => {
                items.iter().map(|item| scalar(item.get_ref())).collect()
            }
            single => scalar(single).map(|single| vec![single]),
        };
        let Some(values) = values else {
            let kinds = if is_list {
                "a string or a list of strings"
            } else {
                "a string or a number"
            };
            return Err(fail(line, &format!("{name} must be {kinds}")));
        };
        settings.push(Setting {
            id: arg.get_id().clone(),
            values,
            is_secret: is_secret(arg),
            file: file.to_owned(),
            origin: format!("{name} in line {line} of {shown}"),
        });
    }
    Ok(settings)
}

/// The line number of an offset, counted from 1.
fn line_at(text: &str, offset: usize) -> usize {
    let before = text.get(..offset).unwrap_or_default();
    before.matches('\n').count() + 1
}

/// Whether the line has a value that is neither quoted nor a list.
fn has_bare_text(text: &str, line: usize) -> bool {
    let line = text.lines().nth(line - 1).unwrap_or_default();
    let value = line.split_once('=').map(|(_, value)| value.trim_start());
    value.is_some_and(|value| !value.is_empty() && !value.starts_with(['"', '\'', '[']))
}

fn scalar(value: &DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.to_string()),
        DeValue::Integer(number) => {
            let decimal = i64::from_str_radix(number.as_str(), number.radix());
            // A number too large for `i64` is too large for every option.
            Some(decimal.map_or_else(|_| number.to_string(), |decimal| decimal.to_string()))
        }
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
