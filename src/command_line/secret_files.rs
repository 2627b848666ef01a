//! Reads secrets from files.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::Error;
use clap::error::ErrorKind;

use super::environment::{file_variable, variable};
use super::setting::{Setting, is_secret, refuse};

/// The folder in which systemd stores the files of `LoadCredential=`.
const CREDENTIALS: &str = "CREDENTIALS_DIRECTORY";

/// Reads each secret from the file named by `STEWARD_<OPTION>_FILE`, or from the systemd credential
/// with the option's name.
pub fn read(command: &clap::Command) -> Result<Vec<Setting>, Error> {
    let mut settings = Vec::new();
    for arg in command.get_arguments().filter(|arg| is_secret(arg)) {
        let Some(name) = arg.get_long() else { continue };
        let Some(file) = find(name, arg.get_env())? else {
            continue;
        };
        let shown = file.display();
        let text = std::fs::read_to_string(&file);
        let text = text.map_err(|error| refuse(ErrorKind::Io, format!("{shown}: {error}")))?;
        let value = text.trim_end_matches(['\r', '\n']);
        if value.is_empty() {
            return Err(refuse(ErrorKind::Io, format!("{shown} is empty")));
        }
        settings.push(Setting {
            id: arg.get_id().clone(),
            values: vec![value.to_owned()],
            is_secret: true,
            origin: format!("{name} in {shown}"),
            file,
        });
    }
    Ok(settings)
}

/// The file of one secret. Only one of the variable, the file and the credential may be set.
fn find(name: &str, env: Option<&OsStr>) -> Result<Option<PathBuf>, Error> {
    let named = env.map(file_variable).and_then(|file_variable| {
        let file = variable(&file_variable)?;
        Some((file_variable, PathBuf::from(file)))
    });
    let credential = variable(CREDENTIALS).map(|folder| Path::new(&folder).join(name));
    let credential = credential.filter(|file| file.exists());
    let places = [
        env.filter(|env| variable(env).is_some())
            .map(|env| env.display().to_string()),
        named
            .as_ref()
            .map(|(variable, _)| variable.display().to_string()),
        credential
            .as_ref()
            .map(|_| format!("the credential {name}")),
    ];
    let places: Vec<String> = places.into_iter().flatten().collect();
    if places.len() > 1 {
        let places = places.join(" and ");
        let reason = format!("{places} are set; set only one of them");
        return Err(refuse(ErrorKind::Io, reason));
    }
    Ok(named.map(|(_, file)| file).or(credential))
}
