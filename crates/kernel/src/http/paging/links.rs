use std::fmt::Display;

use axum::http::Uri;

/// Addresses of other pages of the same list, with the same filters.
pub struct Links {
    path: String,
    /// Encoded for a query string.
    filters: String,
}

impl Links {
    /// `is_paging` says which query parameters belong to the page and not to the filters.
    pub fn new(uri: &Uri, is_paging: impl Fn(&str) -> bool) -> Self {
        let query = uri.query().unwrap_or_default();
        let filters = form_urlencoded::parse(query.as_bytes()).filter(|(name, _)| !is_paging(name));
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

/// The value of a `Link` header; `None` without links.
pub fn link_header(links: &[(String, &str)]) -> Option<String> {
    let mut header = String::with_capacity(links.len() * 96);
    for (address, relation) in links {
        let joint = if header.is_empty() { "<" } else { ", <" };
        for part in [joint, address, ">; rel=\"", relation, "\""] {
            header.push_str(part);
        }
    }
    (!header.is_empty()).then_some(header)
}
