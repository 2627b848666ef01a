//! The log on standard error: text for people, JSON for programs. It never contains a key's value.

mod json;
mod queue;

use std::io::{self, IsTerminal};

use kernel::Metrics;
use tracing::Level;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

use self::json::Json;
use self::queue::Queue;
use crate::options::{LogFormat, Options};

/// Flushes the log when it is dropped.
pub struct Log(&'static Queue);

pub fn start(options: &Options, metrics: &Metrics) -> io::Result<Log> {
    let is_terminal = io::stderr().is_terminal();
    let queue = Queue::start(metrics)?;
    let log = tracing_subscriber::fmt()
        .with_max_level(Level::from(options.log_level))
        .with_writer(queue)
        .with_ansi(is_terminal && !is_colour_unwanted());
    let is_text = match options.log_format {
        LogFormat::Auto => is_terminal,
        LogFormat::Text => true,
        LogFormat::Json => false,
    };
    let levels = levels(options.log_level.into());
    if is_text {
        log.finish().with(levels).init();
    } else {
        log.event_format(Json).finish().with(levels).init();
    }
    // A panic's message may quote a secret, so only its location is logged.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string);
        tracing::error!(place, "panic");
    }));
    Ok(Log(queue))
}

/// Libraries that read from the network log errors only, unless somebody debugs: any client could
/// fill the log with their warnings.
fn levels(level: Level) -> Targets {
    let levels = Targets::new().with_default(level);
    if level >= Level::DEBUG {
        return levels;
    }
    ["h2", "hyper", "rustls"]
        .into_iter()
        .fold(levels, |levels, library| {
            levels.with_target(library, Level::ERROR)
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_that_read_from_the_network_log_errors_only_unless_debugging() {
        for (level, target, event, expected) in [
            (Level::INFO, "h2::proto::ping_pong", Level::WARN, false),
            (Level::INFO, "h2::proto::ping_pong", Level::ERROR, true),
            (Level::INFO, "hyper::proto::h1", Level::WARN, false),
            (Level::DEBUG, "h2::proto::ping_pong", Level::WARN, true),
            (Level::INFO, "kernel::http", Level::INFO, true),
            (Level::WARN, "kernel::http", Level::INFO, false),
        ] {
            let is_logged = levels(level).would_enable(target, &event);
            assert_eq!(is_logged, expected, "{level} {target} {event}");
        }
    }
}
