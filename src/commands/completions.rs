//! `steward completions`: prints a script that completes commands and options in a shell.

use clap::Args;
use clap_complete::Shell;

use crate::command_line;
use crate::error::Result;
use crate::output::print_line;

#[derive(Args)]
pub struct Completions {
    /// The shell to print a script for.
    shell: Shell,
}

pub fn run(completions: &Completions) -> Result {
    let mut script = Vec::new();
    let mut command = command_line::declared();
    // Written to memory first, because `generate` panics if it cannot write.
    clap_complete::generate(completions.shell, &mut command, "steward", &mut script);
    Ok(print_line!("{}", String::from_utf8(script)?.trim_end())?)
}
