//! `steward import`: takes over data of other programs.

mod bans;
mod flute;
mod report;

use clap::Subcommand;

use self::bans::Bans;
use self::flute::Flute;
use crate::error::Result;
use crate::options::Options;

#[derive(Subcommand)]
pub enum ImportCommand {
    /// Import bans and mutes from a dump of SourceBans, CS2-SimpleAdmin or IksAdmin.
    ///
    /// The dump is what mysqldump, mariadb-dump or phpMyAdmin writes, plain or compressed with gzip
    /// or zstd. Bans that an earlier import has added are left as they are. It is one transaction:
    /// a run that fails or is interrupted changes nothing.
    Bans(Bans),
    /// Import a community from a dump of Flute CMS into an empty database.
    ///
    /// The dump is what mysqldump, mariadb-dump or phpMyAdmin writes, plain or compressed with gzip
    /// or zstd. Ids, times and passwords are kept. It is one transaction: a run that fails or is
    /// interrupted writes nothing. The service must not run meanwhile.
    Flute(Flute),
}

pub async fn run(command: ImportCommand, options: &Options) -> Result {
    match command {
        ImportCommand::Bans(bans) => bans::run(bans, options).await,
        ImportCommand::Flute(flute) => flute::run(flute, options).await,
    }
}
