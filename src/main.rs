//! The program: parses the command line and runs one command.

// They panic on a closed pipe; see `output`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod commands;
mod config_file;
mod core_dumps;
mod error;
mod logging;
mod open_files;
mod options;
mod output;
mod progress;
mod startup;

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;

use crate::commands::Command;
use crate::options::Options;
use crate::output::print_remark;

/// A request makes dozens of small allocations; this allocator takes half the time of the
/// system's.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// The administration service of a game-community CMS.
///
/// Without a command, it serves the JSON API. It stores its data in its own folder and needs no
/// configuration.
///
/// Every option can also be set by the environment variable shown with it, or by a line in
/// steward.toml, such as `listen = "127.0.0.1:9000"`. Flags override the environment, and the
/// environment overrides the file.
#[derive(Parser)]
#[command(name = "steward", version, max_term_width = 100)]
struct CommandLine {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    options: Options,
}

fn main() -> ExitCode {
    let (command, options) = match config_file::parse() {
        Ok((command_line, secret_files)) => {
            let CommandLine { command, options } = command_line;
            (command, options.with_secret_files(secret_files))
        }
        Err(error) => {
            let _ = error.print();
            // Requested help or version goes to standard output and is a success.
            return ExitCode::from(if error.use_stderr() { 2 } else { 0 });
        }
    };
    if let Err(error) = core_dumps::apply(options.core_dumps) {
        print_remark!("steward: core dumps could not be switched off: {error}");
    }
    match run(command.unwrap_or(Command::Serve), options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if output::is_closed_pipe(&*error) => ExitCode::SUCCESS,
        Err(error) => {
            print_remark!("steward: {}", error::cause(error));
            ExitCode::FAILURE
        }
    }
}

#[tokio::main]
async fn run(command: Command, options: Options) -> error::Result {
    command.run(&options).await
}
