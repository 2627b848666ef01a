//! The span of a running request, if traces are exported.

use std::time::Duration;

use super::trace_context::TraceParent;
use crate::Span;
use crate::types::random;

/// A span that has begun.
#[derive(Clone, Debug)]
pub struct OpenSpan {
    trace_id: String,
    parent_id: Option<String>,
    /// The start, as the time since 1970.
    begun: Duration,
}

/// The properties of an answered request.
pub struct Answered<'a> {
    pub took: Duration,
    pub method: &'static str,
    pub route: Option<&'a str>,
    pub status: u16,
    pub is_secure: bool,
    pub request_id: &'a str,
    pub key_id: Option<i64>,
}

impl OpenSpan {
    /// Begins a span in the client's trace or in a new one. `None` if the client does not record
    /// its trace, in which a single span would be useless.
    pub fn begin(parent: Option<TraceParent<'_>>, now: Duration) -> Option<Self> {
        let (trace_id, parent_id) = match parent {
            Some(parent) if !parent.is_sampled => return None,
            Some(parent) => (parent.trace_id.to_owned(), Some(parent.span_id.to_owned())),
            None => {
                let id = u128::from_be_bytes(random::bytes());
                (format!("{id:032x}"), None)
            }
        };
        Some(Self {
            trace_id,
            parent_id,
            begun: now,
        })
    }

    pub fn trace_id(&self) -> &str {
        &self.trace_id
    }

    pub fn end(self, answered: Answered<'_>) -> Span {
        Span {
            trace_id: self.trace_id,
            id: format!("{:016x}", u64::from_be_bytes(random::bytes())),
            parent_id: self.parent_id,
            begun: self.begun,
            ended: self.begun + answered.took,
            method: answered.method,
            route: answered.route.map(str::to_owned),
            status: answered.status,
            is_secure: answered.is_secure,
            request_id: answered.request_id.to_owned(),
            key_id: answered.key_id,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Duration = Duration::from_millis(1_772_366_400_123);

    const PARENT: TraceParent<'_> = TraceParent {
        trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
        span_id: "00f067aa0ba902b7",
        is_sampled: true,
    };

    const ANSWERED: Answered<'_> = Answered {
        took: Duration::from_micros(1500),
        method: "GET",
        route: Some("/api/roles/{id}"),
        status: 200,
        is_secure: true,
        request_id: "01M7EPDNRD570Y91RPSDEPHGG7",
        key_id: Some(7),
    };

    fn is_id(text: &str, length: usize) -> bool {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        text.len() == length && text.bytes().all(is_digit) && text.bytes().any(|byte| byte != b'0')
    }

    #[test]
    fn a_span_with_a_traceparent_is_part_of_that_trace() {
        let open = OpenSpan::begin(Some(PARENT), NOW).expect("sampled");
        assert_eq!(open.trace_id(), PARENT.trace_id);
        let span = open.end(ANSWERED);
        assert!(is_id(&span.id, 16), "{}", span.id);
        assert_ne!(span.id, PARENT.span_id);
        let expected = Span {
            trace_id: PARENT.trace_id.into(),
            id: span.id.clone(),
            parent_id: Some(PARENT.span_id.into()),
            begun: NOW,
            ended: NOW + Duration::from_micros(1500),
            method: "GET",
            route: Some("/api/roles/{id}".into()),
            status: 200,
            is_secure: true,
            request_id: ANSWERED.request_id.into(),
            key_id: Some(7),
        };
        assert_eq!(span, expected);
    }

    #[test]
    fn without_a_traceparent_every_span_starts_a_new_trace() {
        let spans = [(); 2].map(|()| OpenSpan::begin(None, NOW).expect("begun").end(ANSWERED));
        for span in &spans {
            assert!(is_id(&span.trace_id, 32), "{}", span.trace_id);
            assert_eq!(span.parent_id, None);
        }
        assert_ne!(spans[0].trace_id, spans[1].trace_id);
        assert_ne!(spans[0].id, spans[1].id);
    }

    #[test]
    fn a_traceparent_that_is_not_sampled_gives_no_span() {
        let parent = TraceParent {
            is_sampled: false,
            ..PARENT
        };
        assert!(OpenSpan::begin(Some(parent), NOW).is_none());
    }
}
