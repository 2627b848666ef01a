//! Formats an event as one JSON object on one line.
//!
//! Each request logs one line, so fields are written straight into it: the JSON format of
//! tracing-subscriber takes four times as long.

use std::fmt;

use kernel::types::{Clock, Timestamp};
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

pub struct Json;

impl<S, N> FormatEvent<S, N> for Json
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        _: &FmtContext<'_, S, N>,
        mut line: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let millis = Clock::System.millis();
        let second = Timestamp::from_unix((millis / 1000) as i64).to_string();
        write!(
            line,
            "{{\"timestamp\":\"{}.{:03}Z\",\"level\":\"{}\"",
            second.trim_end_matches('Z'),
            millis % 1000,
            event.metadata().level()
        )?;
        let mut fields = Fields {
            line: &mut line,
            result: Ok(()),
        };
        event.record(&mut fields);
        fields.result?;
        line.write_str(",\"target\":")?;
        quote(&mut line, event.metadata().target())?;
        line.write_str("}\n")
    }
}

struct Fields<'a, 'l> {
    line: &'a mut Writer<'l>,
    result: fmt::Result,
}

impl Fields<'_, '_> {
    fn add(&mut self, field: &Field, value: impl FnOnce(&mut Writer<'_>) -> fmt::Result) {
        self.result = self
            .result
            .and_then(|()| write!(self.line, ",\"{}\":", field.name()))
            .and_then(|()| value(self.line));
    }
}

impl Visit for Fields<'_, '_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        // JSON has neither NaN nor infinity.
        self.add(field, |line| match value.is_finite() {
            true => write!(line, "{value}"),
            false => line.write_str("null"),
        });
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.add(field, |line| write!(line, "{value}"));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.add(field, |line| write!(line, "{value}"));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.add(field, |line| write!(line, "{value}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.add(field, |line| quote(line, value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.add(field, |line| quote(line, &format!("{value:?}")));
    }
}

fn quote(line: &mut Writer<'_>, text: &str) -> fmt::Result {
    line.write_char('"')?;
    let mut rest = text;
    while let Some(at) = rest.find(|c: char| c < ' ' || c == '"' || c == '\\') {
        line.write_str(&rest[..at])?;
        match rest.as_bytes()[at] {
            plain @ (b'"' | b'\\') => write!(line, "\\{}", char::from(plain))?,
            control => write!(line, "\\u{control:04x}")?,
        }
        rest = &rest[at + 1..];
    }
    line.write_str(rest)?;
    line.write_char('"')
}
