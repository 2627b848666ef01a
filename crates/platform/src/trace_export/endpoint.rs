//! The URL of the collector.

use std::str::FromStr;

use http_client::Url;

/// The URL that traces are posted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint(Url);

impl Endpoint {
    pub fn url(&self) -> &Url {
        &self.0
    }
}

/// Parses the base URL and appends the path of traces, as OTLP specifies.
impl FromStr for Endpoint {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let form = "it must be a URL with http or https, such as http://127.0.0.1:4318";
        let mut url: Url = text.parse().map_err(|_| form)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(form);
        }
        // User name and password would not be sent.
        if !url.username().is_empty() || url.password().is_some() {
            return Err("it must not contain a user name or a password");
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err("it must end with its path, to which /v1/traces is added");
        }
        let path = format!("{}/v1/traces", url.path().trim_end_matches('/'));
        url.set_path(&path);
        Ok(Self(url))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_traces_is_added_to_a_url_with_http_or_https() {
        for (text, expected) in [
            ("http://127.0.0.1:4318", "http://127.0.0.1:4318/v1/traces"),
            ("http://127.0.0.1:4318/", "http://127.0.0.1:4318/v1/traces"),
            ("https://[::1]/otlp/", "https://[::1]/otlp/v1/traces"),
            ("HTTPS://Collector.Test", "https://collector.test/v1/traces"),
        ] {
            let endpoint: Endpoint = text.parse().expect(text);
            assert_eq!(endpoint.url().as_str(), expected);
        }
    }

    #[test]
    fn other_urls_are_refused() {
        for (text, reason) in [
            ("", "http or https"),
            ("collector", "http or https"),
            ("127.0.0.1:4318", "http or https"),
            ("localhost:4318", "http or https"),
            ("ftp://127.0.0.1/", "http or https"),
            ("http://", "http or https"),
            ("http://127.0.0.1:99999", "http or https"),
            ("http://user@127.0.0.1", "user name"),
            ("http://:secret@127.0.0.1", "password"),
            ("http://127.0.0.1/?a=b", "path"),
            ("http://127.0.0.1/#a", "path"),
        ] {
            let refused = text.parse::<Endpoint>().expect_err(text);
            assert!(refused.contains(reason), "{text}: {refused}");
        }
    }
}
