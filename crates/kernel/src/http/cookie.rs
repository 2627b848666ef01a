//! Cookies of the console.

use axum::http::header::COOKIE;
use axum::http::{HeaderMap, HeaderValue};

/// The purpose of a cookie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cookie {
    /// The token of the session.
    Session,
    /// Proof that the browser signed an operator in before.
    Browser,
}

impl Cookie {
    /// Over TLS, the prefix makes browsers refuse a cookie from another host or from an unencrypted
    /// page.
    fn name(self, is_secure: bool) -> &'static str {
        match (self, is_secure) {
            (Self::Session, true) => "__Host-steward",
            (Self::Session, false) => "steward",
            (Self::Browser, true) => "__Host-steward-browser",
            (Self::Browser, false) => "steward-browser",
        }
    }

    /// The value in a request. If a name is repeated, the first counts.
    pub fn read(self, headers: &HeaderMap, is_secure: bool) -> Option<&str> {
        let lines = headers.get_all(COOKIE).iter();
        let mut pairs = lines
            .filter_map(|line| line.to_str().ok())
            .flat_map(|line| line.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        let name = self.name(is_secure);
        pairs.find_map(|(found, value)| (found == name).then_some(value))
    }

    /// The header that sets the cookie for `seconds`. The value needs no escapes.
    pub fn set(self, is_secure: bool, value: &str, seconds: i64) -> Option<HeaderValue> {
        let name = self.name(is_secure);
        let secure = if is_secure { "; Secure" } else { "" };
        let text =
            format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
        let mut header = HeaderValue::try_from(text).ok()?;
        header.set_sensitive(true);
        Some(header)
    }

    /// The header that removes the cookie.
    pub fn clear(self, is_secure: bool) -> Option<HeaderValue> {
        self.set(is_secure, "", 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(COOKIE, HeaderValue::from_static(line));
        }
        headers
    }

    #[test]
    fn a_cookie_is_found_among_others_by_its_whole_name() {
        let headers = headers(&["theme=dark; steward=abc; xsteward=no", "__Host-steward=def"]);
        assert_eq!(Cookie::Session.read(&headers, false), Some("abc"));
        assert_eq!(Cookie::Session.read(&headers, true), Some("def"));
        assert_eq!(Cookie::Browser.read(&headers, false), None);
    }

    #[test]
    fn over_tls_a_cookie_is_secure_and_has_the_host_prefix() {
        let set = |is_secure| {
            let header = Cookie::Session.set(is_secure, "abc", 60);
            header.expect("a header").to_str().expect("text").to_owned()
        };
        let attributes = "Path=/; Max-Age=60; HttpOnly; SameSite=Strict";
        assert_eq!(set(false), format!("steward=abc; {attributes}"));
        assert_eq!(
            set(true),
            format!("__Host-steward=abc; {attributes}; Secure")
        );
    }
}
