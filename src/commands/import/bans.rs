//! `steward import bans`: adds the bans of another program.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use db::{Db, Progress as _};
use kernel::secret::SecretKey;
use kernel::types::Clock;
use kernel::write::Edit;
use kernel::{Core, Metrics};
use moderation::bans::import::{self, Import, Note, Report, Tables};
use serde::Serialize;

use super::report::Rows;
use crate::error::Result;
use crate::options::Options;
use crate::output::print_line;
use crate::progress::Progress;
use crate::startup;

#[derive(Args)]
pub struct Bans {
    /// Read the bans from this dump.
    dump: PathBuf,
    /// The program that the dump is from.
    #[arg(long)]
    from: From,
    /// The prefix of the tables of SourceBans. The default is sb.
    #[arg(long)]
    prefix: Option<String>,
    /// Name the server of Steward that a server of the program is, by their ids. May be repeated.
    #[arg(long = "server", value_name = "OLD=NEW", value_parser = parse_server)]
    servers: Vec<(i64, i64)>,
    /// Where bans hold. Bans of a server that --server does not name are left out. The default is
    /// server for iks, and all for the others.
    #[arg(long)]
    scope: Option<Scope>,
    /// Do everything, print the report, and write nothing to the database.
    #[arg(long)]
    dry_run: bool,
    /// Write the report as JSON to this new file, with every row that is left out or changed.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
}

#[derive(Clone, Copy, ValueEnum)]
#[value(rename_all = "lower")]
enum From {
    SourceBans,
    SimpleAdmin,
    Iks,
}

#[derive(Clone, Copy, ValueEnum)]
enum Scope {
    All,
    Server,
}

fn parse_server(text: &str) -> std::result::Result<(i64, i64), &'static str> {
    let sentence = "it must be two ids such as 3=7";
    let (old, new) = text.split_once('=').ok_or(sentence)?;
    let id = |text: &str| text.parse().ok().filter(|id: &i64| *id > 0);
    id(old).zip(id(new)).ok_or(sentence)
}

impl Bans {
    fn options(&self) -> Result<import::Options> {
        let mut servers = BTreeMap::new();
        for (old, new) in &self.servers {
            if servers.insert(*old, *new).is_some() {
                return Err(format!("--server names server {old} twice").into());
            }
        }
        Ok(import::Options {
            from: match self.from {
                From::SourceBans => import::From::SourceBans,
                From::SimpleAdmin => import::From::SimpleAdmin,
                From::Iks => import::From::Iks,
            },
            prefix: self.prefix.clone(),
            scope: self.scope.map(|scope| match scope {
                Scope::All => import::Scope::All,
                Scope::Server => import::Scope::Server,
            }),
            servers,
        })
    }

    fn open(&self) -> Result<File> {
        let path = self.dump.display();
        Ok(File::open(&self.dump).map_err(|error| format!("{path}: {error}"))?)
    }
}

pub async fn run(bans: Bans, options: &Options) -> Result {
    let import_options = bans.options()?;
    let length = bans.open()?.metadata()?.len();
    let db = startup::open_existing_database(options).await?;
    migrate(&db, bans.dry_run).await?;
    let mut progress = Progress::new();
    progress.begin("bytes of names", length);
    let import = Import::read_names(import_options, bans.open()?, &mut progress)?;
    let mut report = Rows::new(bans.report.as_deref())?;
    // Nothing is sealed, so no key is needed.
    let core = Core::new(db, Metrics::default(), Clock::System, SecretKey::random());
    let mut edit = Edit::command_line(&core).await?;
    progress.begin("bytes of bans", length);
    let dump = bans.open()?;
    let mut notes = Notes(&mut report);
    let (tables, change) = tokio::select! {
        imported = import.run(&mut edit, dump, bans.dry_run, &mut notes, &mut progress) => imported?,
        () = startup::interrupted() => return Err("interrupted; nothing was written".into()),
    };
    progress.finish();
    // A report that cannot be written must not follow a commit.
    report.finish(&Rest { tables: &tables })?;
    edit.commit(change).await?;
    report.keep();
    let added: u64 = tables.values().map(|counts| counts.added).sum();
    let cleaned = match added {
        0 => Ok(()),
        _ if bans.dry_run => Ok(()),
        // Runs even if the reader of standard output has closed the pipe.
        _ => core.db.vacuum_or_checkpoint().await,
    };
    print(&tables, &report)?;
    print_line!(
        "{}",
        match (bans.dry_run, added) {
            (true, _) => "This was a dry run: nothing was written.",
            (false, 0) => "There was nothing to add, so nothing was written.",
            _ => "Plugins that follow the feed of bans read all active bans again.",
        }
    )?;
    Ok(cleaned?)
}

/// Applies the migrations of this version, as a start of the service does. A dry run does not.
async fn migrate(db: &Db, is_dry_run: bool) -> Result {
    let state = db.schema_state().await?;
    if state.applied == state.known {
        return Ok(());
    }
    if is_dry_run {
        let pending = state.known - state.applied;
        return Err(format!(
            "the database has {pending} migrations to be applied; run steward migrate first"
        )
        .into());
    }
    db.migrate(Clock::System.now().unix()).await?;
    Ok(())
}

fn print(tables: &Tables, rows: &Rows) -> Result {
    let width = tables.keys().map(|name| name.len()).max().unwrap_or(0);
    print_line!(
        "{:width$} {:>10} {:>10} {:>13} {:>10} {:>10}",
        "TABLE",
        "READ",
        "ADDED",
        "ALREADY THERE",
        "LEFT OUT",
        "CHANGED"
    )?;
    for (name, counts) in tables {
        print_line!(
            "{name:width$} {:>10} {:>10} {:>13} {:>10} {:>10}",
            counts.read,
            counts.added,
            counts.already_there,
            counts.left_out,
            counts.changed
        )?;
    }
    rows.print()
}

/// Notes the rows that are left out or changed.
struct Notes<'a>(&'a mut Rows);

impl Report for Notes<'_> {
    fn add(&mut self, note: &Note<'_>) -> io::Result<()> {
        self.0.add(note.table, note.id, note.reason, note)
    }
}

/// The report beside its rows.
#[derive(Serialize)]
struct Rest<'a> {
    tables: &'a Tables,
}
