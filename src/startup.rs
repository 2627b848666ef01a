//! Opens what commands need: the data folder, the secret key file, the database, the `App`.

use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use accounts::sign_in;
use db::{DatabaseUrl, Db, Recorder};
use kernel::auth::KeyValue;
use kernel::http::connection::Certificates;
use kernel::secret::{CurrentKey, KeyFile, KeyFileError, Secret, SecretKey};
use kernel::types::Clock;
use server::app::{App, Settings};
use tokio::signal::unix::SignalKind;

use crate::error::{self, Result};
use crate::options::Options;
use crate::output::print_remark;

/// How often to retry an unreachable database, and how often to report it.
const RETRY_INTERVAL: Duration = Duration::from_millis(250);
const REPORT_INTERVAL: Duration = Duration::from_secs(5);

/// Opens everything; creates the data folder, the key file and the database if they are missing.
pub async fn start(options: &Options) -> Result<App> {
    let settings = Settings {
        limits: options.limits(),
        live: options.live(),
        ..Settings::default()
    };
    start_with(options, settings).await
}

/// Like [`start`], with these settings.
pub async fn start_with(options: &Options, settings: Settings) -> Result<App> {
    create_data_folder(options)?;
    let file = KeyFile::new(options.secret_key_file());
    let explain = |error| key_file_error(&file, error);
    // A file that cannot be read stops the start before a database is created.
    let existing = file.load_if_exists().map_err(explain)?;
    let db = open_recorded(options, settings.metrics.db_recorder()).await?;
    let mut secret_key = match existing {
        Some(key) => key,
        None => create_key(&file, &db).await?,
    };
    if kernel::secret::secret_key_fits(&db, &secret_key).await? == Some(false)
        && let Some(new) = finish_rotation(&file, &db).await?
    {
        secret_key = new;
    }
    let secret_key = CurrentKey::from_file(secret_key, file);
    Ok(App::start(db, Clock::System, secret_key, settings).await?)
}

/// Creates a key for a new database. A database that already has a key needs that one: a new file
/// would hide that it is missing.
async fn create_key(file: &KeyFile, db: &Db) -> Result<SecretKey> {
    if kernel::secret::has_secret_key(db).await? {
        let path = file.path().display();
        return Err(format!(
            "the secret key file {path} is missing, and this database was written under one. \
             Restore the file from a backup, or copy it from another instance. If it is lost, \
             `steward secret reset` says what can be done"
        )
        .into());
    }
    Ok(file.create().map_err(|error| key_file_error(file, error))?)
}

/// Like [`start`], but fails if there is no database: creating one would hide a mistyped folder.
pub async fn start_existing(options: &Options) -> Result<App> {
    require_database(options)?;
    start(options).await
}

/// Opens the database alone; fails if there is none.
pub async fn open_existing_database(options: &Options) -> Result<Db> {
    require_database(options)?;
    open_database(options).await
}

/// Fails if there is no SQLite database, which opening would create.
pub fn require_database(options: &Options) -> Result {
    let DatabaseUrl::Sqlite(path) = options.database_url() else {
        return Ok(());
    };
    let shown = path.display();
    match path.try_exists() {
        Ok(true) => Ok(()),
        Ok(false) => Err(format!(
            "there is no database at {shown}; name it with --data-dir or --database-url"
        )
        .into()),
        // For example, this user may not enter the folder.
        Err(error) => Err(format!("the database at {shown}: {error}").into()),
    }
}

/// Opens the database. Waits for a server that cannot be reached yet, which may be starting.
pub async fn open_database(options: &Options) -> Result<Db> {
    open_recorded(options, Recorder::default()).await
}

async fn open_recorded(options: &Options, recorder: Recorder) -> Result<Db> {
    let url = options.database_url();
    let database = db::Options {
        recorder,
        ..options.database()
    };
    let end = Instant::now() + options.database_wait();
    let mut next_report = Instant::now();
    loop {
        let error = match Db::open(&url, &database).await {
            Ok(db) => return Ok(db),
            Err(error) => error,
        };
        let now = Instant::now();
        let may_pass = matches!(error, db::Error::Unreachable(_) | db::Error::Busy);
        if !may_pass || matches!(url, DatabaseUrl::Sqlite(_)) || now >= end {
            return Err(format!("{url}: {}", error::with_causes(&error)).into());
        }
        if now >= next_report {
            next_report = now + REPORT_INTERVAL;
            report_waiting(&url, &error, end - now);
        }
        tokio::time::sleep(RETRY_INTERVAL.min(end - now)).await;
    }
}

/// Warns about environment variables that are named like options but set none.
pub fn warn_of_unknown_variables(options: &Options) {
    for variable in &options.unknown_variables {
        if has_log() {
            tracing::warn!(variable, "no such option; see `steward --help`");
        } else {
            print_remark!("steward: the variable {variable} sets no option; see `steward --help`");
        }
    }
}

/// Whether logging has started. Before that, reports are plain text for the terminal.
fn has_log() -> bool {
    tracing::dispatcher::has_been_set()
}

fn report_waiting(url: &DatabaseUrl, error: &db::Error, left: Duration) {
    let seconds = left.as_secs_f64().ceil();
    let error = error::with_causes(error);
    if has_log() {
        tracing::warn!(error, seconds, "waiting for the database at {url}");
    } else {
        print_remark!("steward: waiting for the database at {url} for up to {seconds} s: {error}");
    }
}

pub fn key_file_error(file: &KeyFile, error: KeyFileError) -> String {
    format!("the secret key file {}: {error}", file.path().display())
}

/// The value that the operator chose for the key `admin`.
pub fn admin_key(options: &Options) -> Result<Option<KeyValue>> {
    let Some(value) = &options.admin_key else {
        return Ok(None);
    };
    let value = KeyValue::chosen(value);
    Ok(Some(value.ok_or(
        "the admin key must be 16 to 256 visible ASCII characters",
    )?))
}

/// The certificates for HTTPS.
pub fn certificates(options: &Options) -> Result<Option<Certificates>> {
    let Some((certificate, key)) = options.tls_files() else {
        return Ok(None);
    };
    let loaded = Certificates::load(certificate, key)
        .map_err(|error| format!("the TLS certificate cannot be used: {error}"))?;
    Ok(Some(loaded))
}

/// The providers that players can sign in with. Fails if the settings of one are incomplete.
pub fn sign_in(options: &Options) -> Result<sign_in::Settings> {
    let return_to = options.sign_in_return_to.clone();
    let settings = sign_in::Settings {
        steam: steam(options)?,
        discord: discord(options)?,
        return_to,
        ..sign_in::Settings::default()
    };
    Ok(settings)
}

/// Steam, if it is configured.
pub fn steam(options: &Options) -> Result<Option<sign_in::Steam>> {
    if !options.steam_sign_in() {
        return Ok(None);
    }
    require_return_to(options, "--steam-sign-in")?;
    Ok(Some(match &options.steam_url {
        Some(endpoint) => sign_in::Steam {
            endpoint: endpoint.clone(),
        },
        None => sign_in::Steam::default(),
    }))
}

/// Discord, if it is configured.
pub fn discord(options: &Options) -> Result<Option<sign_in::Discord>> {
    let file = options.discord_client_secret_file.as_ref();
    let (client_id, file) = match (&options.discord_client_id, file) {
        (None, None) => return Ok(None),
        (Some(client_id), Some(file)) => (client_id, file),
        _ => {
            return Err(
                "signing in with Discord needs both --discord-client-id and \
                        --discord-client-secret-file; only one of them is set"
                    .into(),
            );
        }
    };
    require_return_to(options, "--discord-client-id")?;
    if client_id.is_empty() || !client_id.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err("--discord-client-id must be the digits of an application's id".into());
    }
    let shown = file.display();
    let text = std::fs::read_to_string(file).map_err(|error| format!("{shown}: {error}"))?;
    let text = Secret::new(text);
    let secret = text.reveal().trim_end_matches(['\r', '\n']);
    if secret.is_empty() || !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!("{shown}: the client secret must be visible ASCII characters").into());
    }
    Ok(Some(sign_in::Discord {
        client_id: client_id.clone(),
        client_secret: Secret::new(secret.to_owned()),
        api: options
            .discord_url
            .clone()
            .unwrap_or_else(sign_in::Discord::api),
    }))
}

fn require_return_to(options: &Options, option: &str) -> Result {
    match options.sign_in_return_to.is_empty() {
        true => Err(format!("{option} needs --sign-in-return-to, which is not set").into()),
        false => Ok(()),
    }
}

/// The addresses that replace those of the real providers, by their options.
pub fn replaced_providers(options: &Options) -> Vec<(&'static str, &sign_in::Address)> {
    let steam = options.steam_url.as_ref();
    let discord = options.discord_url.as_ref();
    let replaced = [("--steam-url", steam), ("--discord-url", discord)].into_iter();
    replaced
        .filter_map(|(option, address)| Some((option, address?)))
        .collect()
}

/// A file or folder to which other users have more access than they should.
pub struct Exposed {
    pub path: PathBuf,
    /// The file mode, in octal.
    pub mode: String,
    pub advice: &'static str,
}

/// Files with secrets that other users can read or write, and a data folder they can write to.
pub fn exposed_files(options: &Options) -> Vec<Exposed> {
    let file = "other users can read this file; run chmod o-rwx on it";
    let folder = "other users can replace the files in this folder; run chmod o-w on it";
    let mut found = Vec::new();
    let mut look_at = |path: PathBuf, forbidden: u32, advice| {
        let Ok(metadata) = path.metadata() else {
            return;
        };
        let mode = metadata.permissions().mode() & 0o777;
        if mode & forbidden != 0 {
            let mode = format!("{mode:o}");
            found.push(Exposed { path, mode, advice });
        }
    };
    for path in options.secret_files() {
        look_at(path, 0o006, file);
    }
    look_at(options.data_dir.clone(), 0o002, folder);
    found
}

/// Creates the folder, readable by its owner only, unless nothing is stored in it.
pub fn create_data_folder(options: &Options) -> Result {
    let folder = &options.data_dir;
    let is_needed = options.secret_key_file().starts_with(folder)
        || matches!(options.database_url(), DatabaseUrl::Sqlite(path) if path.starts_with(folder));
    if !is_needed {
        return Ok(());
    }
    let created = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    created.map_err(|error| format!("the data folder {}: {error}", folder.display()).into())
}

/// Returns when the program receives a signal to stop.
pub async fn interrupted() {
    let terminated = async {
        match tokio::signal::unix::signal(SignalKind::terminate()) {
            Ok(mut signal) => signal.recv().await,
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = terminated => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}

/// Finishes a rotation of the secret key that was interrupted after everything was encrypted under
/// the new key. Returns `None` if there is none.
async fn finish_rotation(file: &KeyFile, db: &Db) -> Result<Option<SecretKey>> {
    let explain = |error| key_file_error(file, error);
    if file.load_new().map_err(explain)?.is_none() {
        return Ok(None);
    }
    let held = file.lock().map_err(explain)?;
    // Another process may have finished the rotation while this one waited for the lock.
    let key = file.load().map_err(explain)?;
    if fits(db, &key).await? {
        return Ok(Some(key));
    }
    match file.load_new().map_err(explain)? {
        Some(new) if fits(db, &new).await? => {
            held.adopt_new().map_err(explain)?;
            tracing::info!("finished an interrupted rotation of the secret key");
            Ok(Some(new))
        }
        _ => Ok(None),
    }
}

pub async fn fits(db: &Db, key: &SecretKey) -> kernel::Result<bool> {
    Ok(kernel::secret::secret_key_fits(db, key).await? == Some(true))
}
