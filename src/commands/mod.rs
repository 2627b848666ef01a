//! The commands: each file has the arguments of one command and its `run`.

mod backup;
mod check;
mod completions;
mod copy;
mod demo;
mod game_server;
mod health;
mod import;
mod key;
mod list_format;
mod man;
mod migrate;
mod openapi;
mod operator;
mod restore;
mod secret;
mod serve;
mod user;

use clap::Subcommand;

use self::backup::NewBackup;
use self::completions::Completions;
use self::copy::Databases;
use self::demo::DemoData;
use self::game_server::ServerCommand;
use self::import::ImportCommand;
use self::key::KeyCommand;
use self::man::ManualPages;
use self::migrate::Migrate;
use self::operator::OperatorCommand;
use self::restore::Restore;
use self::secret::SecretCommand;
use self::user::UserCommand;
use crate::error::Result;
use crate::options::Options;
use crate::startup;

#[derive(Subcommand)]
pub enum Command {
    /// Serve the API. This is the default command.
    Serve,
    /// Create, list and revoke API keys, whether or not the service is running.
    #[command(subcommand)]
    Key(KeyCommand),
    /// List and create users, and replace lost passwords, whether or not the service is running.
    #[command(subcommand)]
    User(UserCommand),
    /// Manage the people who may use the console, whether or not the service is running.
    #[command(subcommand)]
    Operator(OperatorCommand),
    /// List and query game servers, and run commands on their consoles.
    #[command(subcommand)]
    Server(ServerCommand),
    /// Rotate the key that secrets are encrypted under.
    #[command(subcommand)]
    Secret(SecretCommand),
    /// Apply the migrations of this version to the database, as a start of the service does.
    Migrate(Migrate),
    /// Write all data to a file while the service runs.
    ///
    /// The file is a SQLite database with Steward's own schema, whichever database it is taken
    /// from. Secrets in it stay encrypted: keep the secret key file too, in another place.
    Backup(NewBackup),
    /// Replace the contents of an empty database by a backup.
    ///
    /// Everything keeps its id and its time. It is one transaction: an interrupted run leaves the
    /// database as it was. A backup of an older version is migrated; the file is not changed.
    Restore(Restore),
    /// Copy all data from one database to another, such as from SQLite to PostgreSQL.
    ///
    /// Stop the service first: what it writes during the copy would be missing. The target must be
    /// empty. It is one transaction: an interrupted run leaves the target as it was.
    Copy(Databases),
    /// Import data of other programs: bans at any time, a community into an empty database.
    #[command(subcommand)]
    Import(ImportCommand),
    /// Fill an empty database with realistic demo data.
    ///
    /// Nothing in it is real: names are invented, email addresses use domains reserved for
    /// examples, game servers have loopback addresses, and all users have the same password, which
    /// is printed at the end. In a new database, the same options give the same data. Everything is
    /// one transaction: an interrupted run leaves nothing.
    Demo(DemoData),
    /// Print the OpenAPI document.
    Openapi,
    /// Check the database, its migrations and the secret key, without changing anything.
    Check,
    /// Ask the running service whether it is ready: `GET /readyz` at the address of --listen.
    Health,
    /// Print a script that completes commands and options in a shell.
    Completions(Completions),
    /// Write the manual pages of the program and its commands.
    Man(ManualPages),
}

impl Command {
    pub async fn run(self, options: &Options) -> Result {
        // The service logs this warning itself.
        if !matches!(self, Self::Serve) {
            startup::warn_of_unknown_variables(options);
        }
        match self {
            Self::Serve => serve::run(options).await,
            Self::Key(command) => key::run(command, options).await,
            Self::User(command) => user::run(command, options).await,
            Self::Operator(command) => operator::run(command, options).await,
            Self::Server(command) => game_server::run(command, options).await,
            Self::Secret(command) => secret::run(command, options).await,
            Self::Migrate(migrate) => migrate::run(&migrate, options).await,
            Self::Backup(new) => backup::run(&new, options).await,
            Self::Restore(restore) => restore::run(&restore, options).await,
            Self::Copy(databases) => copy::run(&databases, options).await,
            Self::Import(command) => import::run(command, options).await,
            Self::Demo(data) => demo::run(&data, options).await,
            Self::Openapi => openapi::run(),
            Self::Check => check::run(options).await,
            Self::Health => health::run(options).await,
            Self::Completions(completions) => completions::run(&completions),
            Self::Man(pages) => man::run(&pages),
        }
    }
}
