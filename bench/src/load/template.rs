//! Request templates with placeholders, and the values for them.

use std::io::Write;

use crate::spec::{RequestSpec, Spec, Values};

/// A request as bytes, with placeholders for the parts that change between requests.
pub struct Template {
    pub name: String,
    pub status: u16,
    head: Vec<Piece>,
    body: Option<Vec<Piece>>,
}

enum Piece {
    Text(Vec<u8>),
    /// The index of the source of the value.
    Value(usize),
}

/// The error that all values of a source have been used.
#[derive(Debug, PartialEq)]
pub struct UsedUp;

impl Template {
    pub fn new(request: &RequestSpec, spec: &Spec) -> Result<Self, String> {
        let RequestSpec {
            method,
            path,
            body,
            status,
            ..
        } = request;
        let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {}\r\n", spec.address);
        for line in &spec.headers {
            head += &format!("{line}\r\n");
        }
        if body.is_some() {
            head += "Content-Type: application/json\r\n";
        }
        let names: Vec<&str> = spec.values.keys().map(String::as_str).collect();
        Ok(Self {
            name: format!("{method} {path}"),
            status: *status,
            head: split_placeholders(&head, &names)?,
            body: body
                .as_deref()
                .map(|body| split_placeholders(body, &names))
                .transpose()?,
        })
    }

    /// Replaces the content of `out` with the whole request.
    pub fn fill(&self, sources: &mut Sources, out: &mut Vec<u8>) -> Result<(), UsedUp> {
        out.clear();
        write_pieces(&self.head, sources, out)?;
        if let Some(body) = &self.body {
            let mut filled = std::mem::take(&mut sources.body);
            filled.clear();
            let written = write_pieces(body, sources, &mut filled);
            // Writing to memory cannot fail.
            let _ = write!(out, "Content-Length: {}\r\n\r\n", filled.len());
            out.extend_from_slice(&filled);
            sources.body = filled;
            written
        } else {
            out.extend_from_slice(b"\r\n");
            Ok(())
        }
    }
}

fn split_placeholders(text: &str, names: &[&str]) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((before, from_name)) = rest.split_once('<') {
        let (name, after) = from_name
            .split_once('>')
            .ok_or_else(|| format!("a < without > in {text}"))?;
        let source = names.iter().position(|known| *known == name);
        let source = source.ok_or_else(|| format!("there are no values for <{name}>"))?;
        pieces.push(Piece::Text(before.as_bytes().to_vec()));
        pieces.push(Piece::Value(source));
        rest = after;
    }
    pieces.push(Piece::Text(rest.as_bytes().to_vec()));
    Ok(pieces)
}

fn write_pieces(pieces: &[Piece], sources: &mut Sources, out: &mut Vec<u8>) -> Result<(), UsedUp> {
    for piece in pieces {
        match piece {
            Piece::Text(text) => out.extend_from_slice(text),
            Piece::Value(source) => sources.write_value(*source, out)?,
        }
    }
    Ok(())
}

/// Produces the same values for the same seed.
pub struct Sources {
    values: Vec<Values>,
    used: Vec<usize>,
    state: u64,
    body: Vec<u8>,
}

impl Sources {
    pub fn new(spec: &mut Spec) -> Self {
        let values: Vec<Values> = std::mem::take(&mut spec.values).into_values().collect();
        Self {
            used: vec![0; values.len()],
            values,
            state: spec.seed,
            body: Vec::new(),
        }
    }

    /// A random number below `bound` (SplitMix64; the bias of the modulo is negligible).
    pub fn random_below(&mut self, bound: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound.max(1)
    }

    fn write_value(&mut self, source: usize, out: &mut Vec<u8>) -> Result<(), UsedUp> {
        let (first, last) = match &self.values[source] {
            Values::Between(first, last) => (*first, *last),
            Values::CountFrom(first) => {
                let next = first + self.used[source] as u64;
                self.used[source] += 1;
                (next, next)
            }
            Values::EachOnce(all) => {
                let next = all.get(self.used[source]).ok_or(UsedUp)?;
                self.used[source] += 1;
                out.extend_from_slice(next.as_bytes());
                return Ok(());
            }
        };
        let number = first + self.random_below(last.saturating_sub(first) + 1);
        let _ = write!(out, "{number}");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Sources, Template, UsedUp};
    use crate::spec::{RequestSpec, Spec};

    fn spec(values: &str) -> Spec {
        let spec = format!(
            r#"{{"address": "127.0.0.1:80", "connections": 1, "warm_up": 0, "seconds": 1, "seed": 7,
                 "headers": ["X-API-Key: k"], "requests": [], "values": {values}}}"#
        );
        serde_json::from_str(&spec).unwrap()
    }

    fn request(path: &str, body: Option<&str>) -> RequestSpec {
        RequestSpec {
            weight: 1,
            method: "PUT".into(),
            path: path.into(),
            body: body.map(Into::into),
            status: 200,
        }
    }

    #[test]
    fn placeholders_are_replaced_and_content_length_is_right() {
        let mut spec = spec(r#"{"id": {"each_once": ["5", "12"]}, "n": {"count_from": 99}}"#);
        let template = Template::new(&request("/r/<id>", Some(r#"{"n":<n>}"#)), &spec).unwrap();
        let mut sources = Sources::new(&mut spec);
        let mut out = b"left over".to_vec();
        for (id, n, length) in [("5", "99", 8), ("12", "100", 9)] {
            assert_eq!(template.fill(&mut sources, &mut out), Ok(()));
            let expected = format!(
                "PUT /r/{id} HTTP/1.1\r\nHost: 127.0.0.1:80\r\nX-API-Key: k\r\n\
                 Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{{\"n\":{n}}}"
            );
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
        assert_eq!(template.fill(&mut sources, &mut out), Err(UsedUp));
    }

    #[test]
    fn random_values_include_both_ends_and_repeat_with_the_seed() {
        let ids = || {
            let mut spec = spec(r#"{"id": {"between": [3, 5]}}"#);
            let template = Template::new(&request("<id>", None), &spec).unwrap();
            let mut sources = Sources::new(&mut spec);
            let mut out = Vec::new();
            std::iter::repeat_with(|| {
                template.fill(&mut sources, &mut out).unwrap();
                out[4]
            })
            .take(100)
            .collect::<Vec<_>>()
        };
        let drawn = ids();
        for id in b'3'..=b'5' {
            assert!(drawn.contains(&id));
        }
        assert!(drawn.iter().all(|id| (b'3'..=b'5').contains(id)));
        assert_eq!(drawn, ids());
    }

    #[test]
    fn a_placeholder_without_values_is_an_error() {
        let spec = spec("{}");
        assert!(Template::new(&request("/r/<id>", None), &spec).is_err());
        assert!(Template::new(&request("/r/<id", None), &spec).is_err());
    }
}
