//! The log, on standard error: text for people, JSON for programs; never a key's value.

use std::io::IsTerminal;

use tracing::Level;

use crate::options::{LogFormat, Options};

pub fn start(options: &Options) {
    let terminal = std::io::stderr().is_terminal();
    let log = tracing_subscriber::fmt()
        .with_max_level(Level::from(options.log_level))
        .with_writer(std::io::stderr)
        .with_ansi(terminal);
    let text = match options.log_format {
        LogFormat::Auto => terminal,
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    if text {
        log.init();
    } else {
        log.json().flatten_event(true).init();
    }
    // What a panic says may quote anything, so only its place is logged.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place, "a part of the program panicked");
    }));
}
