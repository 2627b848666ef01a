//! `steward demo`: fills an empty database with demo data.

use std::time::Instant;

use clap::Args;
use demo::Plan;
use demo::games::{self, Simulated};
use game_servers::servers;
use kernel::list::Window;
use kernel::types::{Clock, Day};
use kernel::write::Edit;

use crate::error::Result;
use crate::options::Options;
use crate::output::{print_line, print_remark};
use crate::progress::Progress;
use crate::startup;
use crate::whole_number::whole_number;

#[derive(Args)]
pub struct DemoData {
    /// Create this many users, with roles, blocks, devices and links to social networks.
    #[arg(long, value_name = "NUMBER", default_value = "1000",
          value_parser = whole_number::<u32, _>(..=100_000_000))]
    users: u32,
    /// Create this many payment invoices, spread over two years.
    #[arg(long, value_name = "NUMBER", default_value = "5000",
          value_parser = whole_number::<u32, _>(..=1_000_000_000))]
    invoices: u32,
    /// Create this many game servers.
    #[arg(long, value_name = "NUMBER", default_value = "12",
          value_parser = whole_number::<u32, _>(..=1_000_000))]
    servers: u32,
    /// Create this many roles.
    #[arg(long, value_name = "NUMBER", default_value = "10",
          value_parser = whole_number::<u32, _>(..=10_000))]
    roles: u32,
    /// Create this many pages, with their blocks.
    #[arg(long, value_name = "NUMBER", default_value = "24",
          value_parser = whole_number::<u32, _>(..=1_000_000))]
    pages: u32,
    /// Create this many navigation items, in a tree.
    #[arg(long, value_name = "NUMBER", default_value = "30",
          value_parser = whole_number::<u32, _>(..=100_000))]
    navigation: u32,
    /// Create this many promo codes.
    #[arg(long, value_name = "NUMBER", default_value = "12",
          value_parser = whole_number::<u32, _>(..=100_000))]
    promo_codes: u32,
    /// Generate the data from this seed. A different seed gives a different community.
    #[arg(long, value_name = "NUMBER", default_value = "1",
          value_parser = whole_number::<u64, _>(..))]
    seed: u64,
    /// Generate data up to, but not including, this day (UTC), such as 2026-03-01. The default is
    /// today.
    #[arg(long, value_name = "DATE", value_parser = parse_day)]
    until: Option<Day>,
    /// Create nothing; answer queries for the game servers of the demo data until interrupted.
    #[arg(long)]
    games: bool,
}

fn parse_day(text: &str) -> std::result::Result<Day, &'static str> {
    Day::parse(text).ok_or("it must be a date such as 2026-03-01")
}

pub async fn run(data: &DemoData, options: &Options) -> Result {
    if data.games {
        return run_games(options).await;
    }
    let now = Clock::System.now();
    let plan = Plan {
        users: data.users,
        invoices: data.invoices,
        servers: data.servers,
        roles: data.roles,
        pages: data.pages,
        navigation: data.navigation,
        promo_codes: data.promo_codes,
        seed: data.seed,
        until: data.until.unwrap_or(Day::of(now)),
    };
    if let Some(fault) = plan.fault(now) {
        return Err(fault.into());
    }
    let app = startup::start(options).await?;
    let mut edit = Edit::command_line(&app.kernel.core).await?;
    let existing = demo::contents(&mut edit, now).await?;
    if !existing.is_empty() {
        return Err(not_empty(&existing).into());
    }

    let started = Instant::now();
    let mut progress = Progress::new();
    let change = demo::fill(&mut edit, &app.users.passwords, &plan, &mut progress).await?;
    progress.print("Committing.");
    edit.commit(change).await?;

    let seconds = started.elapsed().as_secs_f64();
    let stages = progress.finish();
    // Runs even if the reader of standard output has closed the pipe. The data is committed by now.
    let cleaned = app.kernel.core.db.vacuum_or_checkpoint().await;
    print_line!("Created:")?;
    for (what, count) in &stages {
        print_line!("{count:>12}  {what}")?;
    }
    let rows: u64 = stages.iter().map(|(_, count)| count).sum();
    let rate = rows as f64 / seconds;
    print_line!("It took {seconds:.1} seconds, {rate:.0} rows per second.")?;
    if plan.users > 0 {
        print_line!("All users have the password {}.", demo::PASSWORD)?;
    }
    Ok(cleaned?)
}

/// Simulates the game servers, on loopback addresses.
async fn run_games(options: &Options) -> Result {
    let db = startup::open_existing_database(options).await?;
    let mut window = Window::ALL;
    window.limit = games::MOST as i64;
    let servers = servers::list(&mut *db.read().await?, window).await?;
    let mut simulated = Vec::new();
    for server in servers {
        let address = server.address()?;
        match Simulated::open(server, Clock::System).await {
            Ok(opened) => simulated.push(opened),
            // The port of many games, which another program may use.
            Err(error) => print_remark!("{address} is not simulated: {error}."),
        }
    }
    drop(db);
    if simulated.is_empty() {
        return Err("no game server can be simulated".into());
    }
    print_line!(
        "Answering for {} game servers. Serve the data with --server-networks 127.0.0.0/8.",
        simulated.len()
    )?;
    games::serve(simulated).await;
    Ok(())
}

fn not_empty(existing: &[(i64, &str)]) -> String {
    let existing: Vec<String> = existing
        .iter()
        .map(|(count, what)| format!("{what} ({count})"))
        .collect();
    format!(
        "the database is not empty: it has {}; name an empty one, or a new one, with --data-dir \
         or --database-url",
        existing.join(", ")
    )
}
