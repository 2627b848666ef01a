//! The log on standard error: text for people, JSON for programs. It never contains a key's value.

mod json;
mod queue;

use std::io::{self, IsTerminal};

use tracing::Level;

use self::json::Json;
use self::queue::Queue;
use crate::options::{LogFormat, Options};

/// Flushes the log when it is dropped.
pub struct Log(&'static Queue);

pub fn start(options: &Options) -> io::Result<Log> {
    let is_terminal = io::stderr().is_terminal();
    let queue = Queue::start()?;
    let log = tracing_subscriber::fmt()
        .with_max_level(Level::from(options.log_level))
        .with_writer(queue)
        .with_ansi(is_terminal && !is_colour_unwanted());
    let is_text = match options.log_format {
        LogFormat::Auto => is_terminal,
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    if is_text {
        log.init();
    } else {
        log.event_format(Json).init();
    }
    // A panic's message may quote a secret, so only its location is logged.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place, "a part of the program panicked");
    }));
    Ok(Log(queue))
}

/// See <https://no-color.org>.
fn is_colour_unwanted() -> bool {
    std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty())
}

impl Drop for Log {
    fn drop(&mut self) {
        self.0.flush();
    }
}
