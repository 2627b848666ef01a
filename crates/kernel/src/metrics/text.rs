use std::fmt::{Display, Write};

/// Metrics in Prometheus's text format, for values that are read when they are shown. A registered
/// metric would stay forever, even that of a deleted game server.
#[derive(Clone, Debug, Default)]
pub struct MetricText(String);

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Counter,
    Gauge,
}

impl MetricText {
    /// Begins a metric. Its samples follow.
    pub fn begin(&mut self, name: &str, kind: Kind, description: &str) {
        let kind = match kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
        };
        for part in [
            "# HELP ",
            name,
            " ",
            description,
            "\n# TYPE ",
            name,
            " ",
            kind,
            "\n",
        ] {
            self.0.push_str(part);
        }
    }

    /// Adds a sample to the metric that was begun last.
    pub fn add(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (i, (label, text)) in labels.iter().enumerate() {
            self.0.push_str(if i == 0 { "{" } else { "," });
            self.0.push_str(label);
            self.0.push_str("=\"");
            self.push_escaped(text);
            self.0.push('"');
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        writeln!(self.0, " {value}").expect("writing to a string cannot fail");
    }

    fn push_escaped(&mut self, text: &str) {
        for c in text.chars() {
            match c {
                '\\' => self.0.push_str("\\\\"),
                '"' => self.0.push_str("\\\""),
                '\n' => self.0.push_str("\\n"),
                c => self.0.push(c),
            }
        }
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_escaped() {
        let mut text = MetricText::default();
        text.begin("a", Kind::Gauge, "An a.");
        text.add("a", &[], 1.5);
        text.add("a", &[("id", "7"), ("name", "say \"hi\"\\\n\u{e9}")], 2);
        assert_eq!(
            text.as_str(),
            "# HELP a An a.\n# TYPE a gauge\na 1.5\na{id=\"7\",name=\"say \\\"hi\\\"\\\\\\n\u{e9}\"} 2\n"
        );
    }
}
