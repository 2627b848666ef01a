//! `steward backup`: writes all data to a file.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use platform::backups::{self, NewFile};

use crate::error::Result;
use crate::options::Options;
use crate::output::print_line;
use crate::progress::Progress;
use crate::startup;

#[derive(Args)]
pub struct NewBackup {
    /// Write the backup to this file.
    file: PathBuf,
    /// Replace the file if it exists.
    #[arg(long)]
    force: bool,
    /// Compress the file with zstd.
    #[arg(long)]
    compress: bool,
}

pub async fn run(new: &NewBackup, options: &Options) -> Result {
    let path = new.file.display();
    if new.file.exists() && !new.force {
        return Err(
            format!("{path} exists; choose another name, or replace it with --force").into(),
        );
    }
    let db = startup::open_existing_database(options).await?;
    let state = db.schema_state().await?;
    if state.applied != state.known {
        let pending = state.known - state.applied;
        return Err(format!(
            "the database has {pending} migrations to be applied; start this version of the \
             service first, or use the version that serves it"
        )
        .into());
    }
    let explain = |error| format!("{path}: {error}");
    let started = Instant::now();
    let file = NewFile::new(&new.file).map_err(explain)?;
    let partial = file.partial();
    let mut progress = Progress::new();
    let written = tokio::select! {
        written = backups::write(&db, &partial, &mut progress) => written?,
        () = startup::interrupted() => return Err("interrupted; no backup was written".into()),
    };
    if new.compress {
        progress.print("Compressing.");
        file.compress().map_err(explain)?;
    }
    file.finish(new.force).map_err(explain)?;
    progress.finish();
    let rows: u64 = written.iter().map(|(_, rows)| rows).sum();
    let bytes = std::fs::metadata(&new.file).map_or(0, |file| file.len());
    print_line!(
        "Wrote {rows} rows to {path}, {:.1} MiB, in {:.1} seconds.",
        bytes as f64 / f64::from(1 << 20),
        started.elapsed().as_secs_f64()
    )?;
    print_line!(
        "Keep the secret key file too, in another place: {}.",
        options.secret_key_file().display()
    )?;
    Ok(())
}
