//! Imports bans of other programs from a dump of their database.
//!
//! A dump is read twice: names of administrators and reasons of removals may come after the bans.
//! The first reading is before the transaction; the second is the transaction. Bans are written in
//! batches, and memory does not grow with their number.

mod found;
mod iks;
mod simpleadmin;
mod sourcebans;
mod store;
mod system;

use std::collections::{BTreeMap, HashSet};
use std::io;

use db::Progress;
use dump::{Item, Reader, Row};
use futures_util::future::BoxFuture;
use serde::Serialize;

use self::found::{Draft, LeftOut, Rules};
use self::iks::Iks;
use self::simpleadmin::SimpleAdmin;
use self::sourcebans::SourceBans;
use self::system::System;
use super::resource::Ban;
use game_servers::servers;
use kernel::write::{Change, Edit};
use kernel::{Error, Result};

/// How many bans one statement inserts.
const BATCH: usize = 1_000;
/// Bytes of the dump between two reports of progress.
const STEP: u64 = 1 << 20;
/// The time zone that mysqldump and phpMyAdmin set.
const UTC: &str = "+00:00";
const MAX_PREFIX: usize = 64;

/// A program that has bans.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum From {
    SourceBans,
    SimpleAdmin,
    Iks,
}

/// Where imported bans hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// On all servers.
    All,
    /// On the server that the other program names.
    Server,
}

#[derive(Debug)]
pub struct Options {
    pub from: From,
    /// Of the tables of SourceBans.
    pub prefix: Option<String>,
    /// By default that of the program.
    pub scope: Option<Scope>,
    /// The servers of Steward, by their ids in the other program.
    pub servers: BTreeMap<i64, i64>,
}

/// Takes what the import reports about single rows.
pub trait Report: Send {
    fn add(&mut self, note: &Note<'_>) -> io::Result<()>;
}

/// A row that is left out, or changed.
#[derive(Debug, Serialize)]
pub struct Note<'a> {
    pub table: &'a str,
    pub id: Option<i64>,
    pub reason: &'a str,
}

/// Rows of one table.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Counts {
    pub read: u64,
    pub added: u64,
    pub already_there: u64,
    pub left_out: u64,
    pub changed: u64,
}

/// Rows by table.
pub type Tables = BTreeMap<String, Counts>;

/// An import that knows the names of the dump.
pub struct Import {
    system: Box<dyn System>,
    is_by_server: bool,
    servers: BTreeMap<i64, i64>,
    missing: Vec<String>,
}

/// A ban that is not written yet.
struct Pending {
    table: usize,
    id: i64,
    draft: Draft,
}

impl Import {
    /// Reads the names. `Err` is a sentence about the options or the dump.
    pub fn read_names(
        options: Options,
        dump: impl io::Read + Send,
        progress: &mut dyn Progress,
    ) -> Result<Self> {
        let system = system(&options)?;
        let default = match options.from {
            From::SourceBans | From::SimpleAdmin => Scope::All,
            From::Iks => Scope::Server,
        };
        let mut import = Self {
            system,
            is_by_server: options.scope.unwrap_or(default) == Scope::Server,
            servers: options.servers,
            missing: Vec::new(),
        };
        import.learn(dump, progress)?;
        Ok(import)
    }

    fn learn(&mut self, dump: impl io::Read + Send, progress: &mut dyn Progress) -> Result<()> {
        let first = self.system.first().to_vec();
        let mut reader = Reader::new(dump)
            .map_err(refused)?
            .only(|name| first.iter().any(|table| table == name));
        let mut steps = Steps::default();
        let mut found = HashSet::new();
        loop {
            let row = match reader.next().map_err(refused)? {
                None => break,
                Some(Item::Table(table)) => {
                    found.extend(position(&first, &table.name));
                    continue;
                }
                Some(Item::Row(row)) => row,
            };
            if let Some(table) = position(&first, row.table()) {
                found.insert(table);
                self.system.learn(table, &row).map_err(refused)?;
                let line = row.line();
                check_time_zone(&*self.system, &reader, &first[table], line)?;
            }
            steps.advance(&reader, progress);
        }
        steps.finish(&reader, progress);
        let missing = first.iter().enumerate();
        let missing = missing.filter(|(at, _)| !found.contains(at));
        self.missing = missing.map(|(_, name)| name.clone()).collect();
        Ok(())
    }

    /// Reads the bans of the same dump and adds those that are new. The change is a dry run if
    /// there are none, so that nothing tells plugins to begin again.
    pub fn run<'a>(
        &'a self,
        edit: &'a mut Edit,
        dump: impl io::Read + Send + 'a,
        is_dry_run: bool,
        report: &'a mut dyn Report,
        progress: &'a mut (dyn Progress + Send),
    ) -> BoxFuture<'a, Result<(Tables, Change<()>)>> {
        let dump: Box<dyn io::Read + Send + 'a> = Box::new(dump);
        Box::pin(async move {
            let tables = self.add(edit, dump, report, progress).await?;
            let added: u64 = tables.values().map(|counts| counts.added).sum();
            if is_dry_run || added == 0 {
                return Ok((tables, Change::dry_run(())));
            }
            let what = Imported {
                system: self.system.name(),
                tables: &tables,
            };
            let change = Change::of_many::<Ban>("import", &Nothing {}, &what, ());
            Ok((tables, change))
        })
    }

    async fn add(
        &self,
        edit: &mut Edit,
        dump: Box<dyn io::Read + Send + '_>,
        report: &mut dyn Report,
        progress: &mut (dyn Progress + Send),
    ) -> Result<Tables> {
        self.check_servers(edit).await?;
        store::prepare(edit).await?;
        let names: Vec<String> = self.system.bans().iter().map(|t| t.name.clone()).collect();
        let rules = Rules {
            now: edit.core().expiry_now(),
            system: self.system.name(),
            servers: self.is_by_server.then_some(&self.servers),
        };
        let mut output = Output {
            names: &names,
            counts: vec![None; names.len()],
            report,
        };
        for table in &self.missing {
            let reason = "the table is missing, so what it names is unknown";
            output.note(table, None, reason)?;
        }
        let mut reader = Reader::new(dump)
            .map_err(refused)?
            .only(|name| names.iter().any(|table| table == name));
        let mut steps = Steps::default();
        let mut batch = Vec::with_capacity(BATCH);
        loop {
            let row = match reader.next().map_err(refused)? {
                None => break,
                Some(Item::Table(table)) => {
                    if let Some(table) = position(&names, &table.name) {
                        output.counts[table].get_or_insert_default();
                    }
                    continue;
                }
                Some(Item::Row(row)) => row,
            };
            if let Some(table) = position(&names, row.table()) {
                let line = row.line();
                let id = row.integer(self.system.bans()[table].id).map_err(refused)?;
                let draft = self.draft(&rules, table, id, &row)?;
                check_time_zone(&*self.system, &reader, &names[table], line)?;
                output.counts(table).read += 1;
                match (id, draft) {
                    (Some(id), Ok(draft)) => batch.push(Pending { table, id, draft }),
                    (id, draft) => {
                        let reason = draft.err().unwrap_or("it has no id".into());
                        output.leave_out(table, id, &reason)?;
                    }
                }
            }
            if batch.len() == BATCH {
                self.write(edit, &mut batch, &mut output).await?;
            }
            steps.advance(&reader, progress);
        }
        self.write(edit, &mut batch, &mut output).await?;
        steps.finish(&reader, progress);
        if output.counts[0].is_none() {
            return Err(Error::internal(format!(
                "the dump has no table {}{}",
                names[0],
                match self.system.name() {
                    "sourcebans" => "; name the prefix of the tables with --prefix",
                    _ => "; name the program that it comes from with --from",
                }
            )));
        }
        let counts = names.iter().zip(output.counts);
        let counts = counts.filter_map(|(name, counts)| Some((name.clone(), counts?)));
        Ok(counts.collect())
    }

    fn draft(
        &self,
        rules: &Rules<'_>,
        table: usize,
        id: Option<i64>,
        row: &Row<'_>,
    ) -> Result<std::result::Result<Draft, LeftOut>> {
        let found = self.system.read(table, row).map_err(refused)?;
        let label = self.system.bans()[table].label;
        let source_id = format!("{label}:{}", id.unwrap_or_default());
        Ok(found.and_then(|found| rules.apply(found, source_id)))
    }

    async fn check_servers(&self, edit: &mut Edit) -> Result<()> {
        let ids: Vec<i64> = self.servers.values().copied().collect();
        let known = match ids[..] {
            [] => return Ok(()),
            _ => servers::existing_ids(edit, &ids).await?,
        };
        match ids.iter().find(|id| !known.contains(id)) {
            Some(id) => Err(Error::internal(format!(
                "--server names server {id}, which does not exist"
            ))),
            None => Ok(()),
        }
    }

    /// Writes those of the batch that are new, and empties it.
    async fn write(
        &self,
        edit: &mut Edit,
        batch: &mut Vec<Pending>,
        output: &mut Output<'_>,
    ) -> Result<()> {
        let ids: Vec<String> = batch.iter().map(|p| source_id(&p.draft.ban)).collect();
        let known = store::known(edit, self.system.name(), &ids).await?;
        let mut seen: HashSet<String> = known.into_iter().collect();
        let mut new = Vec::with_capacity(batch.len());
        for (pending, source_id) in batch.drain(..).zip(ids) {
            let Pending { table, id, draft } = pending;
            if !seen.insert(source_id) {
                output.counts(table).already_there += 1;
                continue;
            }
            output.counts(table).added += 1;
            if !draft.changes.is_empty() {
                output.change(table, id, &draft.changes)?;
            }
            new.push(draft.ban);
        }
        store::load(edit, &new).await?;
        let ranges = new.iter().filter_map(|ban| ban.subject.ip_range.as_ref());
        let bits: Vec<String> = ranges.map(|range| range.bits().to_owned()).collect();
        if !bits.is_empty() {
            store::add_ip_lengths(edit, &bits).await?;
        }
        // A signal must be able to end the import: on SQLite nothing else waits.
        tokio::task::yield_now().await;
        Ok(())
    }
}

fn source_id(ban: &Ban) -> String {
    let source = ban.source.as_ref();
    source.map(|source| source.id.clone()).unwrap_or_default()
}

/// The program, if the options fit it.
fn system(options: &Options) -> Result<Box<dyn System>> {
    let refuse = |sentence: &str| Err(Error::internal(sentence.to_owned()));
    if options.from != From::SourceBans && options.prefix.is_some() {
        return refuse("--prefix is for sourcebans; the other programs have fixed names");
    }
    if options.from == From::SourceBans && options.scope == Some(Scope::Server) {
        return refuse(
            "bans of SourceBans hold on all servers: the server in them is where they were issued; \
             leave out --scope server",
        );
    }
    Ok(match options.from {
        From::SourceBans => {
            let prefix = options.prefix.as_deref().unwrap_or("sb");
            if prefix.chars().count() > MAX_PREFIX {
                return refuse("--prefix is longer than 64 characters");
            }
            Box::new(SourceBans::new(prefix))
        }
        From::SimpleAdmin => Box::new(SimpleAdmin::new()),
        From::Iks => Box::new(Iks::new()),
    })
}

fn position(tables: &[String], name: &str) -> Option<usize> {
    let name = name.to_lowercase();
    tables.iter().position(|table| *table == name)
}

fn refused(error: dump::Error) -> Error {
    Error::internal(error)
}

/// Refuses times that the dump shows in a time zone of its own.
fn check_time_zone(system: &dyn System, reader: &Reader<'_>, table: &str, line: u64) -> Result<()> {
    if !system.needs_utc() || reader.time_zone() == Some(UTC) {
        return Ok(());
    }
    Err(Error::internal(format!(
        "Line {line}, table {table}: the dump does not set time_zone to {UTC}, so its times cannot \
         be read; make it again with mysqldump without --skip-tz-utc, or with phpMyAdmin."
    )))
}

/// The report of an import.
struct Output<'a> {
    names: &'a [String],
    /// `None` for a table that the dump does not have.
    counts: Vec<Option<Counts>>,
    report: &'a mut dyn Report,
}

impl Output<'_> {
    fn counts(&mut self, table: usize) -> &mut Counts {
        self.counts[table].get_or_insert_default()
    }

    fn leave_out(&mut self, table: usize, id: Option<i64>, reason: &str) -> Result<()> {
        self.counts(table).left_out += 1;
        let names = self.names;
        self.note(&names[table], id, &format!("left out: {reason}"))
    }

    fn change(&mut self, table: usize, id: i64, changes: &[&str]) -> Result<()> {
        self.counts(table).changed += 1;
        let names = self.names;
        changes.iter().try_for_each(|change| {
            self.note(&names[table], Some(id), &format!("changed: {change}"))
        })
    }

    fn note(&mut self, table: &str, id: Option<i64>, reason: &str) -> Result<()> {
        let added = self.report.add(&Note { table, id, reason });
        added.map_err(|error| Error::internal(format!("the report cannot be written: {error}")))
    }
}

/// Reports how far a dump is read.
#[derive(Default)]
struct Steps {
    reported: u64,
}

impl Steps {
    fn advance(&mut self, reader: &Reader<'_>, progress: &mut dyn Progress) {
        if reader.bytes_read() >= self.reported + STEP {
            self.finish(reader, progress);
        }
    }

    fn finish(&mut self, reader: &Reader<'_>, progress: &mut dyn Progress) {
        let read = reader.bytes_read();
        progress.advance(read - self.reported);
        self.reported = read;
    }
}

/// The audit entry of an import.
#[derive(Serialize)]
struct Imported<'a> {
    system: &'static str,
    tables: &'a Tables,
}

#[derive(Serialize)]
struct Nothing {}
