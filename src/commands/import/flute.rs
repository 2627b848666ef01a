//! `steward import flute`: takes over a community of Flute CMS.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File};
use std::io::{self, Write};
use std::net::IpAddr;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use db::{DatabaseUrl, Db};
use import::{Note, Report, Summary};
use kernel::auth::TOPIC;
use kernel::secret::{KeyFile, SecretKey};
use kernel::types::Clock;
use kernel::write::Edit;
use kernel::{Core, Metrics};
use server::app::{App, Settings};

use super::report::{NewFile, Rows};
use crate::error::Result;
use crate::instance_lock::{self, InstanceLock};
use crate::options::Options;
use crate::output::print_line;
use crate::progress::Progress;
use crate::startup;

const MOST_PREFIX: usize = 64;

#[derive(Args)]
pub struct Flute {
    /// Read the community from this dump.
    dump: PathBuf,
    /// The prefix of the tables.
    #[arg(long, default_value = "flute_", value_parser = parse_prefix)]
    prefix: String,
    /// Do everything, print the report, and write nothing to the database.
    #[arg(long)]
    dry_run: bool,
    /// Write the report as JSON to this new file, with every row that is left out or changed.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Write the rows that are left out to this folder: a file of NDJSON for each table.
    #[arg(long, value_name = "FOLDER")]
    left_out: Option<PathBuf>,
    /// The currency of invoices that have none.
    #[arg(long, value_name = "CODE")]
    currency: Option<String>,
    /// Name the game that an app id stands for, such as 730=csgo. May be repeated.
    #[arg(long = "game", value_name = "ID=GAME", value_parser = parse_game)]
    games: Vec<(String, String)>,
    /// Name the address of a server that has a host name. May be repeated.
    #[arg(long = "host", value_name = "NAME=IP", value_parser = parse_host)]
    hosts: Vec<(String, IpAddr)>,
    /// Whether API keys work at once. The dump has them in plain text.
    #[arg(long, default_value = "inactive")]
    keys: Keys,
    /// The status of users whose address is not verified.
    #[arg(long, default_value = "active")]
    unverified: Unverified,
    /// Confirm that the balances of users are left out.
    #[arg(long)]
    balances: Option<Balances>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Keys {
    Inactive,
    Active,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Unverified {
    Active,
    Pending,
}

#[derive(Clone, Copy, ValueEnum)]
enum Balances {
    LeftOut,
}

type Parsed<T> = std::result::Result<T, &'static str>;

fn parse_prefix(text: &str) -> Parsed<String> {
    match text.chars().count() <= MOST_PREFIX {
        true => Ok(text.to_owned()),
        false => Err("it must not be longer than 64 characters"),
    }
}

fn parse_game(text: &str) -> Parsed<(String, String)> {
    let sentence = "it must be an id and a game such as 730=cs2";
    let (id, game) = text.split_once('=').ok_or(sentence)?;
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let is_game = (1..=50).contains(&game.len()) && game.bytes().all(allowed);
    match is_game && !id.is_empty() {
        true => Ok((id.to_owned(), game.to_owned())),
        false => Err(sentence),
    }
}

fn parse_host(text: &str) -> Parsed<(String, IpAddr)> {
    let sentence = "it must be a name and an address such as play.example.com=203.0.113.7";
    let (name, ip) = text.split_once('=').ok_or(sentence)?;
    let ip = ip.parse().map_err(|_| sentence)?;
    match name.is_empty() {
        true => Err(sentence),
        false => Ok((name.to_lowercase(), ip)),
    }
}

/// The pairs by their first part, each of which is named once.
fn unique<T: Clone>(option: &str, pairs: &[(String, T)]) -> Result<BTreeMap<String, T>> {
    let mut map = BTreeMap::new();
    for (name, value) in pairs {
        if map.insert(name.clone(), value.clone()).is_some() {
            return Err(format!("{option} names {name} twice").into());
        }
    }
    Ok(map)
}

impl Flute {
    fn options(&self) -> Result<import::Options> {
        Ok(import::Options {
            prefix: self.prefix.clone(),
            currency: self.currency.clone(),
            games: unique("--game", &self.games)?,
            hosts: unique("--host", &self.hosts)?,
            keys_are_active: self.keys == Keys::Active,
            unverified_are_pending: self.unverified == Unverified::Pending,
            leaves_balances_out: matches!(self.balances, Some(Balances::LeftOut)),
        })
    }
}

pub async fn run(flute: Flute, options: &Options) -> Result {
    let import_options = flute.options()?;
    let path = flute.dump.display();
    // Before anything is created.
    File::open(&flute.dump).map_err(|error| format!("{path}: {error}"))?;
    let mut target = Target::open(options, flute.dry_run).await?;
    let mut files = Files::new(flute.report.as_deref(), flute.left_out.as_deref())?;
    let mut edit = Edit::command_line(&target.core).await?;
    import::require_empty(&mut edit).await?;
    let mut progress = Progress::new();
    let importing = import::run(
        &mut edit,
        &flute.dump,
        &import_options,
        &mut files,
        &mut progress,
    );
    let (summary, change) = tokio::select! {
        // A signal must be waited for before the import begins.
        biased;
        () = startup::interrupted() => return Err("interrupted; nothing was written".into()),
        imported = importing => imported?,
    };
    // A report that cannot be written must not follow a commit.
    files.finish(&summary)?;
    let refusal = summary.refusal(&import_options);
    let is_written = !flute.dry_run && refusal.is_none();
    let cleaned = if is_written {
        progress.print("Committing.");
        edit.commit(change).await?;
        // Runs even if the reader of standard output has closed the pipe.
        target.core.db.vacuum_or_checkpoint().await
    } else {
        progress.finish();
        drop(edit);
        Ok(())
    };
    files.keep();
    target.close();
    print(&summary, &files.rows)?;
    if let Some(refusal) = refusal {
        return Err(format!("{refusal}; nothing was written").into());
    }
    print_line!(
        "{}",
        match flute.dry_run {
            true => "This was a dry run: nothing was written.",
            false =>
                "Everything was written. There is no operator yet: see steward operator --help.",
        }
    )?;
    Ok(cleaned?)
}

/// The database that is written to.
struct Target {
    core: Core,
    _lock: Option<InstanceLock>,
    /// The folder of a database that is made for a dry run alone.
    scratch: Option<PathBuf>,
}

impl Target {
    async fn open(options: &Options, is_dry_run: bool) -> Result<Self> {
        if is_dry_run && !has_tables(options).await? {
            return Self::temporary().await;
        }
        if !is_dry_run {
            startup::create_data_folder(options)?;
        }
        let lock = instance_lock::acquire(&options.database_url())?;
        let core = match is_dry_run {
            false => startup::start(options).await?.kernel.core.clone(),
            true => {
                let file = KeyFile::new(options.secret_key_file());
                let key = file.load();
                let key = key.map_err(|error| startup::key_file_error(&file, error))?;
                let db = startup::open_database(options).await?;
                Core::new(db, Metrics::default(), Clock::System, key)
            }
        };
        require_no_instance(&core).await?;
        Ok(Self {
            core,
            _lock: lock,
            scratch: None,
        })
    }

    /// A dry run needs a database even where there is none yet.
    async fn temporary() -> Result<Self> {
        let folder = std::env::temp_dir().join(format!("steward-import-{}", std::process::id()));
        DirBuilder::new()
            .mode(0o700)
            .create(&folder)
            .map_err(|error| format!("{}: {error}", folder.display()))?;
        let scratch = Some(folder.clone());
        let url = DatabaseUrl::Sqlite(folder.join("steward.db"));
        let settings = Settings::default();
        let app = match Db::open(&url, &db::Options::default()).await {
            Ok(db) => App::start(db, Clock::System, SecretKey::random(), settings).await,
            Err(error) => Err(error.into()),
        };
        match app {
            Ok(app) => Ok(Self {
                core: app.kernel.core.clone(),
                _lock: None,
                scratch,
            }),
            Err(error) => {
                let _ = std::fs::remove_dir_all(&folder);
                Err(error.into())
            }
        }
    }

    fn close(&mut self) {
        if let Some(folder) = self.scratch.take() {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

impl Drop for Target {
    fn drop(&mut self) {
        self.close();
    }
}

/// Whether there is a database with the tables of this version.
async fn has_tables(options: &Options) -> Result<bool> {
    if let DatabaseUrl::Sqlite(path) = options.database_url()
        && !path.exists()
    {
        return Ok(false);
    }
    let db = startup::open_database(options).await?;
    let state = db.schema_state().await?;
    if state.applied > 0 && state.applied != state.known {
        let pending = state.known - state.applied;
        return Err(format!(
            "the database has {pending} migrations to be applied; run steward migrate first"
        )
        .into());
    }
    Ok(state.applied > 0)
}

/// Refuses a database that a service uses. On SQLite, the lock tells.
async fn require_no_instance(core: &Core) -> Result {
    if core.db.instances().await? == 0 {
        return Ok(());
    }
    // An instance that was killed is removed when it does not acknowledge a change.
    let mut tx = core.db.begin().await?;
    tx.announce(TOPIC).await?;
    tx.commit().await?;
    match core.db.instances().await? {
        0 => Ok(()),
        _ => Err("a service uses this database; stop it first".into()),
    }
}

/// The report, and the files of rows that are left out.
struct Files {
    rows: Rows,
    folder: Option<PathBuf>,
    left_out: BTreeMap<String, NewFile>,
}

impl Files {
    fn new(report: Option<&Path>, folder: Option<&Path>) -> Result<Self> {
        if let Some(folder) = folder {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        Ok(Self {
            rows: Rows::new(report)?,
            folder: folder.map(Path::to_owned),
            left_out: BTreeMap::new(),
        })
    }

    fn finish(&mut self, summary: &Summary) -> Result {
        for file in self.left_out.values_mut() {
            let synced = file.sync();
            synced.map_err(|error| format!("the rows left out cannot be written: {error}"))?;
        }
        self.rows.finish(summary)
    }

    fn keep(&mut self) {
        self.rows.keep();
        self.left_out.values_mut().for_each(NewFile::keep);
    }
}

impl Report for Files {
    fn add(&mut self, note: &Note<'_>) -> io::Result<()> {
        self.rows.add(note.table, note.id, note.reason, note)
    }

    fn keeps_rows(&self) -> bool {
        self.folder.is_some()
    }

    fn keep_row(&mut self, table: &str, json: &str) -> io::Result<()> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        if !self.left_out.contains_key(table) {
            let path = folder.join(file_name(table));
            let file =
                NewFile::create(&path).map_err(|error| io::Error::other(error.to_string()))?;
            self.left_out.insert(table.to_owned(), file);
        }
        match self.left_out.get_mut(table) {
            Some(file) => writeln!(file.writer, "{json}"),
            None => Ok(()),
        }
    }
}

/// The file of a table, whose name in a dump may be anything.
fn file_name(table: &str) -> String {
    let is_plain = |letter: &char| letter.is_ascii_alphanumeric() || "_-".contains(*letter);
    let plain: String = table.chars().filter(is_plain).take(100).collect();
    format!("{plain}.ndjson")
}

fn print(summary: &Summary, rows: &Rows) -> Result {
    let tables = &summary.tables;
    let width = tables.keys().map(|name| name.len()).max().unwrap_or(0);
    print_line!(
        "{:width$} {:>10} {:>10} {:>10} {:>10}",
        "TABLE",
        "READ",
        "WRITTEN",
        "CHANGED",
        "LEFT OUT"
    )?;
    for (name, counts) in tables {
        let name = name.escape_debug().to_string();
        print_line!(
            "{name:width$} {:>10} {:>10} {:>10} {:>10}",
            counts.read,
            counts.written,
            counts.changed,
            counts.left_out
        )?;
    }
    for compared in &summary.paid_invoices {
        let (dump, here) = (compared.dump, compared.steward);
        print_line!(
            "Paid in {}: {} invoices, {} in the dump; {} invoices, {} here; difference {}",
            compared.currency,
            dump.count,
            dump.sum,
            here.count,
            here.sum,
            compared.difference
        )?;
    }
    for (table, count) in &summary.may_have_lost_cents {
        print_line!(
            "{table}: {count} amounts of 10,000 and more may have lost cents, since a FLOAT has six \
             digits in a dump; docs/moving-in.md says how to make it exact"
        )?;
    }
    if summary.balances.users > 0 {
        let (users, sum) = (summary.balances.users, &summary.balances.sum);
        print_line!("Balances: {users} users have {sum} in sum, for which there is no place")?;
    }
    for user in &summary.had_all_permissions {
        print_line!(
            "User {} ({}) had admin.boss, and is not an operator here",
            user.id,
            user.username
        )?;
    }
    if !summary.other_tables.is_empty() {
        let names: Vec<String> = summary
            .other_tables
            .iter()
            .map(|n| n.escape_debug().to_string())
            .collect();
        print_line!("Tables of other programs, not read: {}", names.join(", "))?;
    }
    rows.print()
}
