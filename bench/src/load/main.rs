//! A load generator that takes as little of the machine as it can, since it shares it with what is
//! measured: one thread, no parsing beyond what frames a response.
//!
//! Reads what to do from standard input (`spec.rs`), prints what it measured (`tally.rs`), and
//! fails when anything was not answered as it should be.

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
    let spec = spec.map_err(|error| format!("what to do is not clear: {error}"))?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| error.to_string())?;
    let summary = runtime.block_on(LocalSet::new().run_until(run::run(spec)))?;
    let text = serde_json::to_string(&summary).map_err(|error| error.to_string())?;
    println!("{text}");
    Ok(summary.errors)
}
