//! Opens what every command needs: the data folder, the secret key file, the database, the `App`.

use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;

use db::{DatabaseUrl, Db};
use kernel::secret::{KeyFile, KeyFileError, SecretKey};
use kernel::types::Clock;
use server::app::App;

use crate::error::Result;
use crate::options::Options;

/// Opens everything; creates the data folder, the key file and the database if they are missing.
pub async fn start(options: &Options) -> Result<App> {
    create_data_folder(options)?;
    let file = KeyFile::new(options.secret_key_file());
    let mut secret_key = file
        .load_or_create()
        .map_err(|error| key_file_error(&file, error))?;
    let db = open_database(options).await?;
    if kernel::secret::secret_key_fits(&db, &secret_key).await? == Some(false)
        && let Some(new) = finish_rotation(&file, &db).await?
    {
        secret_key = new;
    }
    let (limits, live) = (options.limits(), options.live());
    Ok(App::start(db, Clock::System, secret_key, limits, live).await?)
}

/// Like [`start`], but fails if there is no database: for these commands a new one would only
/// hide a mistyped folder.
pub async fn start_existing(options: &Options) -> Result<App> {
    match options.database_url() {
        DatabaseUrl::Sqlite(path) if !path.exists() => {
            let path = path.display();
            Err(format!(
                "there is no database at {path}; name it with --data-dir or --database-url"
            )
            .into())
        }
        _ => start(options).await,
    }
}

pub async fn open_database(options: &Options) -> Result<Db> {
    let url = options.database_url();
    let db = Db::open(&url, &options.database()).await;
    Ok(db.map_err(|error| format!("{url}: {error}"))?)
}

pub fn key_file_error(file: &KeyFile, error: KeyFileError) -> String {
    format!("the secret key file {}: {error}", file.path().display())
}

/// Only the owner can read the folder. It is not created if nothing is stored in it.
fn create_data_folder(options: &Options) -> Result {
    let folder = &options.data_dir;
    let is_needed = options.secret_key_file().starts_with(folder)
        || matches!(options.database_url(), DatabaseUrl::Sqlite(path) if path.starts_with(folder));
    if !is_needed {
        return Ok(());
    }
    let created = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    created.map_err(|error| format!("the data folder {}: {error}", folder.display()).into())
}

/// Finishes a rotation of the secret key that was interrupted after everything had been encrypted
/// under the new key. `None` if there was none.
async fn finish_rotation(file: &KeyFile, db: &Db) -> Result<Option<SecretKey>> {
    let explain = |error| key_file_error(file, error);
    if file.load_new().map_err(explain)?.is_none() {
        return Ok(None);
    }
    let held = file.lock().map_err(explain)?;
    // Another process may have finished it while this one waited for the lock.
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

async fn fits(db: &Db, key: &SecretKey) -> kernel::Result<bool> {
    Ok(kernel::secret::secret_key_fits(db, key).await? == Some(true))
}
