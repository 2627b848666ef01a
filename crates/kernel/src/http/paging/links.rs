use std::borrow::Cow;
use std::fmt::Display;

use axum::http::Uri;

/// The size of a `Link` header that fits into the buffers of proxies.
const MAX_BYTES: usize = 2 << 10;

/// URLs of other pages of the same list, with the same filters.
pub struct Links {
    path: String,
    /// Encoded for a query string.
    filters: String,
}

impl Links {
    /// Keeps the query parameters for which `is_filter` is true. Others are left out, so that a
    /// client cannot make the header larger than its filters are.
    pub fn new(uri: &Uri, is_filter: impl Fn(&str) -> bool) -> Self {
        let query = uri.query().unwrap_or_default();
        let mut filters: Vec<(Cow<'_, str>, Cow<'_, str>)> = Vec::new();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            if !is_filter(&name) {
                continue;
            }
            // If a name is repeated, its last value counts.
            match filters.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = value,
                None => filters.push((name, value)),
            }
        }
        Self {
            path: uri.path().to_owned(),
            filters: form_urlencoded::Serializer::new(String::new())
                .extend_pairs(filters)
                .finish(),
        }
    }

    pub fn to(&self, parameters: &[(&str, &dyn Display)]) -> String {
        let mut address = String::with_capacity(self.path.len() + self.filters.len() + 64);
        for part in [&self.path, "?", &self.filters] {
            address.push_str(part);
        }
        for (name, value) in parameters {
            if !address.ends_with('?') {
                address.push('&');
            }
            address.push_str(name);
            address.push('=');
            let value = value.to_string();
            address.extend(form_urlencoded::byte_serialize(value.as_bytes()));
        }
        address
    }
}

/// The value of a `Link` header; `None` without links. A very long header is reduced to the next
/// page: proxies refuse responses with long heads.
pub fn link_header(links: &[(String, &str)]) -> Option<String> {
    let header = joined(links);
    if header.len() <= MAX_BYTES {
        return (!header.is_empty()).then_some(header);
    }
    let next = links.iter().filter(|(_, relation)| *relation == "next");
    let next: Vec<_> = next.cloned().collect();
    (!next.is_empty()).then(|| joined(&next))
}

fn joined(links: &[(String, &str)]) -> String {
    let mut header = String::with_capacity(links.len() * 96);
    for (address, relation) in links {
        let joint = if header.is_empty() { "<" } else { ", <" };
        for part in [joint, address, ">; rel=\"", relation, "\""] {
            header.push_str(part);
        }
    }
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_filters_are_repeated_each_once_with_its_last_value() {
        let uri = "/api/users?junk=1&status=a&page=3&status=b%20c&sort=id&junk=2";
        let uri: Uri = uri.parse().expect("a path");
        let links = Links::new(&uri, |name| ["status", "sort"].contains(&name));
        assert_eq!(
            links.to(&[("page", &2)]),
            "/api/users?status=b+c&sort=id&page=2"
        );
    }

    #[test]
    fn a_long_link_header_has_the_next_page_only() {
        let address = |length| format!("/{}", "x".repeat(length));
        let links = |length| ["first", "next", "last"].map(|relation| (address(length), relation));
        let short = link_header(&links(100)).expect("links");
        assert_eq!(short.matches("rel=").count(), 3);
        let long = link_header(&links(2000)).expect("a link");
        assert_eq!(long, format!("<{}>; rel=\"next\"", address(2000)));
        assert_eq!(link_header(&[(address(5000), "last")]), None);
    }
}
