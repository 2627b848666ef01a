//! Shows the progress of a long command: bars on a terminal, a line every two seconds elsewhere.

use std::fmt::Write;
use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::output::print_remark;

/// The time between two lines.
const INTERVAL: Duration = Duration::from_secs(2);

pub struct Progress {
    on_terminal: bool,
    bar: ProgressBar,
    stages: Vec<(&'static str, u64)>,
    started: Instant,
    last_line: Instant,
    done: u64,
}

impl Progress {
    pub fn new() -> Self {
        let now = Instant::now();
        Self {
            on_terminal: std::io::stderr().is_terminal(),
            bar: ProgressBar::hidden(),
            stages: Vec::new(),
            started: now,
            last_line: now,
            done: 0,
        }
    }

    pub fn print(&self, sentence: &str) {
        self.bar.finish();
        print_remark!("{sentence}");
    }

    /// Ends the display. Returns the stages with the number of rows each created.
    pub fn finish(self) -> Vec<(&'static str, u64)> {
        self.stages
    }

    fn print_line(&mut self) {
        let Some((what, total)) = self.stages.last().filter(|(_, total)| self.done < *total) else {
            return;
        };
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = self.done as f64 / seconds;
        let left = (total - self.done) as f64 / rate;
        let done = self.done;
        print_remark!("{what}: {done} of {total}, {rate:.0} per second, {left:.0} seconds left");
        self.last_line = Instant::now();
    }
}

impl db::Progress for Progress {
    fn begin(&mut self, what: &'static str, total: u64) {
        self.bar.finish();
        self.stages.push((what, total));
        self.done = 0;
        self.started = Instant::now();
        if self.on_terminal {
            self.bar = ProgressBar::new(total)
                .with_style(style())
                .with_message(what);
        }
    }

    fn advance(&mut self, by: u64) {
        self.done += by;
        self.bar.inc(by);
        if !self.on_terminal && self.last_line.elapsed() > INTERVAL {
            self.print_line();
        }
    }
}

fn style() -> ProgressStyle {
    let rate = |state: &ProgressState, out: &mut dyn Write| {
        let _ = write!(out, "{:.0}/s", state.per_sec());
    };
    ProgressStyle::with_template(
        "{msg:17} {bar:30} {human_pos:>11} of {human_len}  {rate}  {eta} left",
    )
    .unwrap_or_else(|_| ProgressStyle::default_bar())
    .with_key("rate", rate)
}
