//! The page that loads the console, and its Content-Security-Policy.

use data_encoding::BASE64;

use crate::files::Files;

/// The build puts this where the page passes the nonce to its scripts.
const PLACEHOLDER: &str = "__NONCE__";

/// The prefix of references to other files in the built page.
const RELATIVE: &str = "\"./";

/// The parts of the page around the nonce.
pub struct Index(Vec<String>);

impl Index {
    /// `None` if the console has not been built.
    pub fn new(files: &Files) -> Option<Self> {
        let absolute = format!("\"/console/files/{}/", files.version);
        let page = files.index.as_ref()?.replace(RELATIVE, &absolute);
        Some(Self(page.split(PLACEHOLDER).map(str::to_owned).collect()))
    }

    /// The page and its Content-Security-Policy. Both contain a nonce that is used once.
    pub fn with_nonce(&self, random: [u8; 16]) -> (String, String) {
        let nonce = BASE64.encode(&random);
        (self.0.join(&nonce), policy(&nonce))
    }
}

/// The policy: nothing is loaded from other hosts, and no script is inline. Styles that the console
/// creates at run time carry the nonce. A preview in an `iframe` with `srcdoc` needs no directive:
/// it inherits all of these.
fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; \
         img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; \
         form-action 'self'; frame-ancestors 'none'"
    )
}
