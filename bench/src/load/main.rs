//! A load generator with low overhead, because it shares the machine with the measured program: one
//! thread, and no parsing beyond finding the end of a response.
//!
//! Reads its specification from standard input (`spec.rs`), prints its results (`tally.rs`), and
//! fails on any unexpected answer.

mod response;
mod run;
mod spec;
mod tally;
mod template;

use std::process::ExitCode;

use tokio::task::LocalSet;

fn main() -> ExitCode {
    match measure() {
        Ok(0) => ExitCode::SUCCESS,
        Ok(errors) => {
            eprintln!("bench-load: {errors} errors");
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("bench-load: {message}");
            ExitCode::FAILURE
        }
    }
}

fn measure() -> Result<u64, String> {
    let spec = serde_json::from_reader(std::io::stdin().lock());
    let spec = spec.map_err(|error| format!("invalid specification: {error}"))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let summary = runtime.block_on(LocalSet::new().run_until(run::run(spec)))?;
    let text = serde_json::to_string(&summary).map_err(|error| error.to_string())?;
    println!("{text}");
    Ok(summary.errors)
}
