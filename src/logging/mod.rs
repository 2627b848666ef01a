//! The log, on standard error: text for people, JSON for programs; never a key's value.

mod batch;
mod json;

use std::io::IsTerminal;

use tracing::Level;

use self::batch::Batch;
use self::json::Json;
use crate::options::{LogFormat, Options};

/// Writes what is left of the log when it is dropped.
pub struct Log(&'static Batch);

pub fn start(options: &Options) -> Log {
    let terminal = std::io::stderr().is_terminal();
    let batch = Batch::start();
    let log = tracing_subscriber::fmt()
        .with_max_level(Level::from(options.log_level))
        .with_writer(batch)
        .with_ansi(terminal);
    let text = match options.log_format {
        LogFormat::Auto => terminal,
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    if text {
        log.init();
    } else {
        log.event_format(Json).init();
    }
    // What a panic says may quote anything, so only its place is logged.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place, "a part of the program panicked");
    }));
    Log(batch)
}

impl Drop for Log {
    fn drop(&mut self) {
        self.0.flush();
    }
}
