//! Prints the output of commands: results on standard output, remarks on standard error.
//!
//! `println!` and `eprintln!` panic if the reader closes the pipe early, as `head` does.

use std::error::Error;
use std::fmt;
use std::io::{self, ErrorKind, Write};

/// An error of writing to standard output.
#[derive(Debug)]
pub struct Unwritable(io::Error);

impl fmt::Display for Unwritable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "standard output cannot be written: {}", self.0)
    }
}

impl Error for Unwritable {}

/// Whether a command failed only because the reader of its output closed the pipe.
pub fn is_closed_pipe(error: &(dyn Error + 'static)) -> bool {
    let unwritable = error.downcast_ref::<Unwritable>();
    unwritable.is_some_and(|unwritable| unwritable.0.kind() == ErrorKind::BrokenPipe)
}

pub fn write_line(line: fmt::Arguments<'_>) -> Result<(), Unwritable> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")
        .and_then(|()| out.flush())
        .map_err(Unwritable)
}

/// Writes a remark. Failures are ignored: they cannot be reported, and the command can continue.
pub fn write_remark(line: fmt::Arguments<'_>) {
    let _ = writeln!(io::stderr().lock(), "{line}");
}

/// Prints a line of the result, or fails with [`Unwritable`].
macro_rules! print_line {
    ($($text:tt)*) => { $crate::output::write_line(format_args!($($text)*)) };
}

/// Prints a line on standard error.
macro_rules! print_remark {
    ($($text:tt)*) => { $crate::output::write_remark(format_args!($($text)*)) };
}

pub(crate) use {print_line, print_remark};
