//! The program: parses the command line and runs one command.

// These macros panic on a closed pipe; see `output`.
#![warn(clippy::print_stdout, clippy::print_stderr)]

mod allocator;
mod any_certificate;
mod command_line;
mod commands;
mod core_dumps;
mod error;
mod instance_lock;
mod listen_address;
mod logging;
mod open_files;
mod options;
mod output;
mod progress;
mod setup_link;
mod startup;
mod whole_number;

use std::process::ExitCode;

use tokio::runtime::Builder;

use crate::command_line::CommandLine;
use crate::commands::Command;
use crate::options::Options;
use crate::output::print_remark;

fn main() -> ExitCode {
    let CommandLine { command, options } = match command_line::parse() {
        Ok(command_line) => command_line,
        Err(error) => {
            let _ = error.print();
            // Help and version are printed on standard output and are a success.
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

/// How many tasks a thread runs before it polls the network. With tokio's default of 61, a new
/// request waits for 61 polls of busy clients.
const TASKS_BETWEEN_EVENTS: u32 = 8;

fn run(command: Command, options: Options) -> error::Result {
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .event_interval(TASKS_BETWEEN_EVENTS)
        .build()?;
    runtime.block_on(command.run(&options))
}
