//! `steward demo`: data to look around in, and to measure with.

use std::time::Instant;

use demo::Plan;
use kernel::types::{Clock, Day};
use kernel::write::Edit;

use crate::options::{DemoData, Options};
use crate::progress::Progress;
use crate::{Outcome, serve};

pub async fn run(options: &Options, wanted: &DemoData) -> Outcome {
    let now = Clock::System.now();
    let plan = Plan {
        users: wanted.users,
        invoices: wanted.invoices,
        servers: wanted.servers,
        roles: wanted.roles,
        pages: wanted.pages,
        navigation: wanted.navigation,
        promo_codes: wanted.promo_codes,
        seed: wanted.seed,
        until: wanted.until.unwrap_or(Day::of(now)),
    };
    if let Some(fault) = plan.fault(now) {
        return Err(fault.into());
    }
    let app = serve::start(options).await?;
    let mut edit = Edit::command_line(&app).await?;
    let there = demo::contents(&mut edit, now).await?;
    if !there.is_empty() {
        return Err(refusal(&there).into());
    }

    let started = Instant::now();
    let mut progress = Progress::new();
    let change = demo::fill(&mut edit, &app.passwords, &plan, &mut progress).await?;
    progress.say("Making it durable.");
    edit.commit(change).await?;

    let seconds = started.elapsed().as_secs_f64();
    let made = progress.finish();
    println!("The database is filled:");
    for (what, count) in &made {
        println!("{count:>12}  {what}");
    }
    let rows: u64 = made.iter().map(|(_, count)| count).sum();
    let rate = rows as f64 / seconds;
    println!("It took {seconds:.1} seconds, which is {rate:.0} of them a second.");
    if plan.users > 0 {
        println!("All users have the password {}.", demo::PASSWORD);
    }
    // Whatever comes of this, the data are there.
    Ok(app.db.settle().await?)
}

fn refusal(there: &[(i64, &str)]) -> String {
    let there: Vec<String> = there
        .iter()
        .map(|(count, what)| format!("{what} ({count})"))
        .collect();
    format!(
        "the database is not empty: it has {}; name an empty one, or a new one, with --data-dir \
         or --database-url",
        there.join(", ")
    )
}
