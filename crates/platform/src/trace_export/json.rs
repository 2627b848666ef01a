//! Spans as OTLP/JSON: ids in hexadecimal digits, and 64-bit integers as strings.

use std::borrow::Cow;

use kernel::{Span, VERSION};
use serde::Serialize;

/// The kind of a span that answers a request.
const SERVER: u8 = 2;
/// The status of a failed span. Others have none, as the conventions for HTTP require.
const ERROR: u8 = 2;

/// The body of a request to the collector.
pub fn body(spans: &[Span]) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&Export {
        resource_spans: [ResourceSpans {
            resource: Resource {
                attributes: [
                    Attribute::text("service.name", "steward"),
                    Attribute::text("service.version", VERSION),
                ],
            },
            scope_spans: [ScopeSpans {
                scope: Scope {
                    name: "steward",
                    version: VERSION,
                },
                spans: spans.iter().map(SpanForm::of).collect(),
            }],
        }],
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Export<'a> {
    resource_spans: [ResourceSpans<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResourceSpans<'a> {
    resource: Resource,
    scope_spans: [ScopeSpans<'a>; 1],
}

#[derive(Serialize)]
struct Resource {
    attributes: [Attribute<'static>; 2],
}

#[derive(Serialize)]
struct ScopeSpans<'a> {
    scope: Scope,
    spans: Vec<SpanForm<'a>>,
}

/// The instrumentation scope. There is only one.
#[derive(Serialize)]
struct Scope {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SpanForm<'a> {
    trace_id: &'a str,
    span_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_span_id: Option<&'a str>,
    name: String,
    kind: u8,
    start_time_unix_nano: String,
    end_time_unix_nano: String,
    attributes: Vec<Attribute<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
}

#[derive(Serialize)]
struct Status {
    code: u8,
}

impl<'a> SpanForm<'a> {
    fn of(span: &'a Span) -> Self {
        // The conventions have special names for unknown methods.
        let (method, verb) = match span.method {
            "other" => ("_OTHER", "HTTP"),
            known => (known, known),
        };
        let scheme = match span.is_secure {
            true => "https",
            false => "http",
        };
        let route = span.route.as_deref();
        let mut attributes = vec![
            Attribute::text("http.request.method", method),
            Attribute::number("http.response.status_code", span.status.into()),
            Attribute::text("url.scheme", scheme),
            Attribute::text("steward.request_id", &span.request_id),
        ];
        attributes.extend(route.map(|route| Attribute::text("http.route", route)));
        attributes.extend(
            span.key_id
                .map(|id| Attribute::number("steward.key_id", id)),
        );
        let is_error = span.status >= 500;
        if is_error {
            attributes.push(Attribute {
                key: "error.type",
                value: Value::StringValue(span.status.to_string().into()),
            });
        }
        Self {
            trace_id: &span.trace_id,
            span_id: &span.id,
            parent_span_id: span.parent_id.as_deref(),
            name: match route {
                Some(route) => format!("{verb} {route}"),
                None => verb.to_owned(),
            },
            kind: SERVER,
            start_time_unix_nano: span.begun.as_nanos().to_string(),
            end_time_unix_nano: span.ended.as_nanos().to_string(),
            attributes,
            status: is_error.then_some(Status { code: ERROR }),
        }
    }
}

#[derive(Serialize)]
struct Attribute<'a> {
    key: &'static str,
    value: Value<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
enum Value<'a> {
    StringValue(Cow<'a, str>),
    IntValue(String),
}

impl<'a> Attribute<'a> {
    fn text(key: &'static str, value: &'a str) -> Self {
        Self {
            key,
            value: Value::StringValue(value.into()),
        }
    }

    fn number(key: &'static str, value: i64) -> Self {
        Self {
            key,
            value: Value::IntValue(value.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    fn span() -> Span {
        Span {
            trace_id: "4bf92f3577b34da6a3ce929d0e0e4736".into(),
            id: "b7ad6b7169203331".into(),
            parent_id: Some("00f067aa0ba902b7".into()),
            begun: Duration::new(1_772_366_400, 123_456_789),
            ended: Duration::new(1_772_366_401, 5),
            method: "PUT",
            route: Some("/api/roles/{id}".into()),
            status: 200,
            is_secure: true,
            request_id: "01M7EPDNRD570Y91RPSDEPHGG7".into(),
            key_id: Some(7),
        }
    }

    fn export(spans: &[Span]) -> serde_json::Value {
        serde_json::from_slice(&body(spans).expect("JSON")).expect("JSON")
    }

    /// The JSON of one span.
    fn form(span: Span) -> serde_json::Value {
        export(&[span])["resourceSpans"][0]["scopeSpans"][0]["spans"][0].take()
    }

    #[test]
    fn an_export_has_the_form_of_otlp() {
        let expected = json!({ "resourceSpans": [{
            "resource": { "attributes": [
                { "key": "service.name", "value": { "stringValue": "steward" } },
                { "key": "service.version", "value": { "stringValue": VERSION } },
            ] },
            "scopeSpans": [{
                "scope": { "name": "steward", "version": VERSION },
                "spans": [{
                    "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
                    "spanId": "b7ad6b7169203331",
                    "parentSpanId": "00f067aa0ba902b7",
                    "name": "PUT /api/roles/{id}",
                    "kind": 2,
                    "startTimeUnixNano": "1772366400123456789",
                    "endTimeUnixNano": "1772366401000000005",
                    "attributes": [
                        { "key": "http.request.method", "value": { "stringValue": "PUT" } },
                        { "key": "http.response.status_code", "value": { "intValue": "200" } },
                        { "key": "url.scheme", "value": { "stringValue": "https" } },
                        {
                            "key": "steward.request_id",
                            "value": { "stringValue": "01M7EPDNRD570Y91RPSDEPHGG7" },
                        },
                        { "key": "http.route", "value": { "stringValue": "/api/roles/{id}" } },
                        { "key": "steward.key_id", "value": { "intValue": "7" } },
                    ],
                }],
            }],
        }] });
        assert_eq!(export(&[span()]), expected);
    }

    #[test]
    fn all_spans_of_a_batch_are_in_one_export() {
        let exported = export(&[span(), span(), span()]);
        let spans = &exported["resourceSpans"][0]["scopeSpans"][0]["spans"];
        assert_eq!(spans.as_array().map(Vec::len), Some(3));
    }

    #[test]
    fn only_5xx_is_an_error() {
        for (status, expected) in [
            (200, json!(null)),
            (404, json!(null)),
            (499, json!(null)),
            (500, json!({ "code": 2 })),
            (503, json!({ "code": 2 })),
        ] {
            let form = form(Span { status, ..span() });
            assert_eq!(form["status"], expected, "{status}");
            let sent = &form["attributes"][1]["value"]["intValue"];
            assert_eq!(*sent, status.to_string());
            let attributes = form["attributes"].as_array().expect("a list");
            let error = attributes.iter().find(|one| one["key"] == "error.type");
            let error = error.map(|one| &one["value"]["stringValue"]);
            let expected = (status >= 500).then(|| json!(status.to_string()));
            assert_eq!(error, expected.as_ref(), "{status}");
        }
    }

    #[test]
    fn unknown_attributes_are_absent() {
        let form = form(Span {
            parent_id: None,
            route: None,
            key_id: None,
            is_secure: false,
            method: "other",
            ..span()
        });
        assert_eq!(form["name"], "HTTP");
        assert!(form.get("parentSpanId").is_none());
        let attributes = form["attributes"].as_array().expect("a list").iter();
        let keys: Vec<_> = attributes.map(|one| &one["key"]).collect();
        let expected = [
            "http.request.method",
            "http.response.status_code",
            "url.scheme",
            "steward.request_id",
        ];
        assert_eq!(keys, expected);
        assert_eq!(form["attributes"][0]["value"]["stringValue"], "_OTHER");
        assert_eq!(form["attributes"][2]["value"]["stringValue"], "http");
    }
}
