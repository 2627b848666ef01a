//! `steward man`: writes the manual pages.

use std::io;
use std::path::{Path, PathBuf};

use clap::Args;
use clap_mangen::Man;

use crate::command_line;
use crate::error::Result;

#[derive(Args)]
pub struct ManualPages {
    /// Write the pages to this folder, which is created if it is missing.
    folder: PathBuf,
}

pub fn run(pages: &ManualPages) -> Result {
    let explain = |error| format!("{}: {error}", pages.folder.display());
    write(&pages.folder).map_err(explain)?;
    Ok(())
}

fn write(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    let command = command_line::declared().disable_help_subcommand(true);
    // Without this, the pages of the commands would be mostly the same.
    let mut without_common = command.clone().mut_args(|arg| {
        let is_common = arg.is_global_set();
        arg.hide(is_common)
    });
    without_common.build();
    for command in without_common.get_subcommands() {
        write_pages(command, folder)?;
    }
    write_page(command, folder)
}

/// Writes the pages of a command and its subcommands.
fn write_pages(command: &clap::Command, folder: &Path) -> io::Result<()> {
    for below in command.get_subcommands() {
        write_pages(below, folder)?;
    }
    let reference = "steward(1) has the options that all commands accept.";
    write_page(command.clone().after_help(reference), folder)
}

fn write_page(command: clap::Command, folder: &Path) -> io::Result<()> {
    let source = format!("steward {}", kernel::VERSION);
    Man::new(command).source(source).generate_to(folder)?;
    Ok(())
}
