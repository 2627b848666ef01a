//! The program: reads its options and runs one of its commands.

mod check;
mod demo;
mod key;
mod logging;
mod openapi;
mod options;
mod progress;
mod secret;
mod serve;
mod server;

use std::error::Error;
use std::process::ExitCode;

use clap::error::ErrorKind;
use mimalloc::MiMalloc;

use crate::options::{Command, KeyCommand, Options, SecretCommand, ServerCommand};

/// A request takes dozens of small pieces of memory; this one hands them out in half the time that
/// the system's takes.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// What a command ends with; its text is for the person at the terminal.
type Outcome = Result<(), Box<dyn Error>>;

fn main() -> ExitCode {
    let options = match options::read() {
        Ok(options) => options,
        Err(error) => {
            let _ = error.print();
            // Help and version were asked for; the rest is a mistake in the call.
            let asked = matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            );
            return ExitCode::from(if asked { 0 } else { 2 });
        }
    };
    match run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("steward: {}", cause(error));
            ExitCode::FAILURE
        }
    }
}

/// Callers of the API are not told what went wrong inside; whoever runs the program is.
fn cause(error: Box<dyn Error>) -> Box<dyn Error> {
    match error.downcast::<kernel::Error>().map(|error| *error) {
        Ok(kernel::Error::Internal(cause)) => cause,
        Ok(other) => other.into(),
        Err(other) => other,
    }
}

#[tokio::main]
async fn run(mut options: Options) -> Outcome {
    let command = options.command.take().unwrap_or(Command::Serve);
    match command {
        Command::Serve => serve::run(options).await,
        Command::Key { command } => match command {
            KeyCommand::Create(new) => key::create(&options, new).await,
            KeyCommand::List => key::list(&options).await,
            KeyCommand::Revoke { id } => key::revoke(&options, id).await,
        },
        Command::Server { command } => match command {
            ServerCommand::List => server::list(&options).await,
            ServerCommand::Query { id } => server::query(&options, id).await,
            ServerCommand::Rcon { id, command } => server::rcon(&options, id, &command).await,
        },
        Command::Secret { command } => match command {
            SecretCommand::Rotate => secret::rotate(&options).await,
        },
        Command::Demo(wanted) => demo::run(&options, &wanted).await,
        Command::Openapi => openapi::run(),
        Command::Check => check::run(&options).await,
    }
}
