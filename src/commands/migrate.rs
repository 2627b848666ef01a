//! `steward migrate`: applies the migrations that a start of the service would apply.

use clap::Args;

use crate::error::Result;
use crate::options::Options;
use crate::output::{print_line, print_remark};
use crate::startup;

#[derive(Args)]
pub struct Migrate {
    /// Print the names of the migrations to be applied, and change nothing.
    #[arg(long)]
    dry_run: bool,
}

pub async fn run(migrate: &Migrate, options: &Options) -> Result {
    let db = startup::open_existing_database(options).await?;
    let state = db.schema_state().await?;
    drop(db);
    let (pending, known) = (state.pending(), state.known);
    if !migrate.dry_run {
        // This also does what follows migrations at a start, such as adding permissions.
        startup::start_existing(options).await?;
    }
    let count = pending.len();
    match migrate.dry_run {
        true => print_remark!("{count} of {known} migrations are to be applied."),
        false => print_remark!("{count} of {known} migrations were applied now."),
    }
    for name in pending {
        print_line!("{name}")?;
    }
    Ok(())
}
