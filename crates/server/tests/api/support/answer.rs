use std::collections::BTreeSet;
use std::time::Duration;

use reqwest::header::HeaderMap;
use serde_json::Value;

use super::events::EventReader;

/// A complete response; of a stream, its beginning. Its methods assert what a test expects and return the body.
#[derive(Debug)]
pub struct Answer {
    request: String,
    pub status: u16,
    pub headers: HeaderMap,
    pub text: String,
}

impl Answer {
    pub async fn read(request: String, response: reqwest::Response) -> Self {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let is_stream = headers
            .get("content-type")
            .is_some_and(|kind| kind == "text/event-stream");
        let text = match is_stream {
            true => first_event(response).await,
            false => response.text().await.expect("a whole body"),
        };
        Self {
            request,
            status,
            headers,
            text,
        }
    }

    pub fn header(&self, name: &str) -> &str {
        let value = self
            .headers
            .get(name)
            .unwrap_or_else(|| panic!("{}: no {name}", self.request));
        value.to_str().expect("a readable header")
    }

    /// Whether it answers a request for this path.
    pub fn is_of(&self, path: &str) -> bool {
        self.request.split(' ').nth(1) == Some(path)
    }

    pub fn has_header(&self, name: &str) -> bool {
        self.headers.contains_key(name)
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text)
            .unwrap_or_else(|error| panic!("{}: {error} in {:?}", self.request, self.text))
    }

    #[track_caller]
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}: {}", self.request, self.text);
        self.json()
    }

    #[track_caller]
    pub fn ok(&self) -> Value {
        self.expect(200)
    }

    #[track_caller]
    pub fn created(&self) -> Value {
        self.expect(201)
    }

    /// Asserts an error in the shape of all errors.
    #[track_caller]
    pub fn error(&self, status: u16, code: &str) -> Value {
        let body = self.expect(status);
        assert_eq!(body["code"], code, "{}: {body}", self.request);
        let mut fields = BTreeSet::from(["message", "code", "request_id"]);
        if code == "validation_failed" {
            fields.extend(["errors", "faults"]);
            self.faults_match_errors(&body);
        }
        if code == "user_blocked" {
            fields.extend(["reason", "until"]);
        }
        assert_eq!(keys(&body), fields, "{}", self.request);
        assert_eq!(
            body["request_id"],
            self.header("x-request-id"),
            "{}",
            self.request
        );
        assert_eq!(
            self.header("content-type"),
            "application/json",
            "{}",
            self.request
        );
        body
    }

    /// Asserts that `faults` has a code for each sentence in `errors`, in the same order.
    #[track_caller]
    fn faults_match_errors(&self, body: &Value) {
        let errors = body["errors"].as_object().expect("sentences by field");
        let listed = errors.iter().filter(|(field, _)| *field != "...");
        let fields: Vec<&str> = listed
            .flat_map(|(field, sentences)| {
                let sentences = sentences.as_array().expect("a list of sentences");
                sentences.iter().map(|_| field.as_str())
            })
            .collect();
        let faults = body["faults"].as_array().expect("a list of faults");
        let of_faults: Vec<&str> = faults
            .iter()
            .filter_map(|fault| {
                assert_fields(fault, &["field", "code", "params"]);
                assert!(fault["params"].is_object(), "{fault}");
                fault["code"].as_str().and(fault["field"].as_str())
            })
            .collect();
        assert_eq!(of_faults, fields, "{}", self.request);
    }

    #[track_caller]
    pub fn unauthorized(&self) {
        self.error(401, "unauthorized");
        assert_eq!(
            self.header("www-authenticate"),
            r#"Bearer realm="Steward", ApiKey realm="Steward""#,
            "{}",
            self.request
        );
    }

    #[track_caller]
    pub fn forbidden(&self, permission: &str) {
        let body = self.error(403, "missing_permission");
        let message = body["message"].as_str().unwrap_or_default();
        assert!(message.contains(permission), "{}: {message}", self.request);
    }

    #[track_caller]
    pub fn not_found(&self) {
        self.error(404, "not_found");
    }

    /// Asserts a 422 with exactly these faults: field and message.
    #[track_caller]
    pub fn invalid(&self, faults: &[(&str, &str)]) {
        let body = self.error(422, "validation_failed");
        let mut expected = serde_json::Map::new();
        for (field, sentence) in faults {
            let sentences = expected
                .entry(*field)
                .or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(sentences) = sentences {
                sentences.push(Value::from(*sentence));
            }
        }
        assert_eq!(body["errors"], Value::Object(expected), "{}", self.request);
    }
}

/// The names of the fields of an object.
#[track_caller]
fn keys(object: &Value) -> BTreeSet<&str> {
    let fields = object
        .as_object()
        .unwrap_or_else(|| panic!("not an object: {object}"));
    fields.keys().map(String::as_str).collect()
}

/// Asserts that an object has exactly these fields.
#[track_caller]
pub fn assert_fields(object: &Value, fields: &[&str]) {
    assert_eq!(keys(object), fields.iter().copied().collect(), "{object}");
}

/// The first event of a stream; empty if there is none that the caller may see.
async fn first_event(response: reqwest::Response) -> String {
    const PATIENCE: Duration = Duration::from_secs(4);
    let mut events = EventReader::new(response);
    let first = tokio::time::timeout(PATIENCE, events.frame()).await;
    first.unwrap_or_default()
}
