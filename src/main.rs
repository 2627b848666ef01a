//! The program: parses the command line and runs one command.

// They panic on a closed pipe; see `output`.
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

/// After how many tasks a thread looks for new events of the network. With tokio's 61, a request
/// waits for that many turns of busy clients before it is seen.
const TASKS_BETWEEN_EVENTS: u32 = 8;

fn run(command: Command, options: Options) -> error::Result {
    let runtime = Builder::new_multi_thread()
        .enable_all()
        .event_interval(TASKS_BETWEEN_EVENTS)
        .build()?;
    runtime.block_on(command.run(&options))
}
