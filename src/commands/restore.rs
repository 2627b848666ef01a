//! `steward restore`: fills an empty database from a backup.

use std::path::PathBuf;

use accounts::operators;
use clap::Args;
use db::{DatabaseUrl, Db};
use kernel::list::Window;
use kernel::secret::{KeyFile, SecretKey};
use kernel::types::Clock;
use kernel::write::Edit;
use kernel::{Core, Metrics};
use platform::api_keys;
use platform::backups::{self, Kept, Unpacked};

use super::key::print_keys;
use super::operator::print_operators;
use crate::error::Result;
use crate::options::Options;
use crate::output::{print_line, print_remark};
use crate::progress::Progress;
use crate::startup;

#[derive(Args)]
pub struct Restore {
    /// Read the backup from this file.
    file: PathBuf,
    /// Restore even if the secret key file is missing or is not the one of the backup. The service
    /// does not start before the right file is in its place.
    #[arg(long)]
    without_secret_key: bool,
    /// Restore sessions, stored replies, setup links and attempts to sign in as well. Those that
    /// were ended since the backup was taken are then valid again.
    #[arg(long)]
    keep_sessions: bool,
    /// Make all API keys inactive.
    #[arg(long)]
    deactivate_keys: bool,
}

pub async fn run(restore: &Restore, options: &Options) -> Result {
    let path = restore.file.display();
    let log = format!("{path}-wal");
    if std::fs::metadata(&log).is_ok_and(|log| log.len() > 0) {
        return Err(format!(
            "{path} is in use: a part of it is in {log}; take a backup of it instead"
        )
        .into());
    }
    let unpacked = Unpacked::new(&restore.file).map_err(|error| format!("{path}: {error}"))?;
    let from = Db::open(
        &DatabaseUrl::Sqlite(unpacked.path()),
        &db::Options::default(),
    )
    .await
    .map_err(|error| format!("{path} is not a backup: {error}"))?;
    if from
        .schema_state()
        .await
        .map_err(|error| format!("{path}: {error}"))?
        .applied
        == 0
    {
        return Err(format!("{path} is not a backup: it has no tables").into());
    }
    let migrated = from.migrate(Clock::System.now().unix()).await?;
    if !migrated.names.is_empty() {
        print_remark!("Migrated a copy of the backup from an older version.");
    }
    let key = secret_key(&from, restore.without_secret_key, options).await?;
    startup::create_data_folder(options)?;
    let target = startup::open_database(options).await?;
    let kept = Kept {
        keep_sessions: restore.keep_sessions,
        deactivate_keys: restore.deactivate_keys,
        send_commands: false,
    };
    fill(&from, target.clone(), key, kept).await?;
    print_access(&target).await
}

/// Prints who has access now, which may be more than before the restore.
async fn print_access(db: &Db) -> Result {
    let mut read = db.read_alone().await?;
    let keys = api_keys::list_with_permissions(&mut read).await?;
    let operators = operators::list(&mut read, Window::ALL).await?;
    print_remark!(
        "The keys and operators of the backup have access again. Compare them with those of before, \
         and remove what was revoked since: steward key revoke ID, steward operator remove NAME."
    );
    print_line!("")?;
    print_keys(&keys)?;
    print_line!("")?;
    print_operators(&operators)
}

/// Copies everything into an empty database.
pub async fn fill(from: &Db, target: Db, key: SecretKey, kept: Kept) -> Result {
    target.migrate(Clock::System.now().unix()).await?;
    let core = Core::new(target, Metrics::default(), Clock::System, key);
    let mut edit = Edit::command_line(&core).await?;
    let contents = backups::contents(&mut edit).await?;
    if !contents.is_empty() {
        let contents: Vec<String> = contents
            .iter()
            .map(|(table, rows)| format!("{table} ({rows})"))
            .collect();
        return Err(format!(
            "the database is not empty: it has rows in {}; name an empty one, or a new one, with \
             --data-dir or --database-url",
            contents.join(", ")
        )
        .into());
    }
    let mut progress = Progress::new();
    let mut snapshot = from.snapshot().await?;
    let change = tokio::select! {
        change = backups::restore(&mut edit, &mut snapshot, kept, &mut progress) => change?,
        () = startup::interrupted() => return Err("interrupted; nothing was written".into()),
    };
    progress.print("Committing.");
    let counts = edit.commit(change).await?;
    // Runs even if the reader of standard output has closed the pipe. The data is committed by now.
    let cleaned = core.db.vacuum_or_checkpoint().await;
    for (table, rows) in counts.iter().filter(|(_, rows)| *rows > 0) {
        print_line!("{rows:>12}  {table}")?;
    }
    print_line!("All rows were compared with the original, and all totals were recounted.")?;
    Ok(cleaned?)
}

/// The key that the secrets of `from` are encrypted under.
pub async fn secret_key(from: &Db, is_optional: bool, options: &Options) -> Result<SecretKey> {
    let file = KeyFile::new(options.secret_key_file());
    let path = file.path().display();
    match file.load() {
        Ok(key) if kernel::secret::secret_key_fits(from, &key).await? != Some(false) => Ok(key),
        _ if is_optional => Ok(SecretKey::random()),
        Ok(_) => Err(format!(
            "the secret key in {path} is not the one that these data are encrypted under; put the \
             right file there, or continue with --without-secret-key"
        )
        .into()),
        Err(error) => Err(format!(
            "the secret key file {path}: {error}; put the one of the backup there, or continue \
             with --without-secret-key"
        )
        .into()),
    }
}
