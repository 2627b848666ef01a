//! Pages for browsers: one file with inline scripts and styles, which loads no other resources.

use axum::http::HeaderValue;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

use super::static_file::StaticFile;

pub fn page(html: &'static str) -> StaticFile {
    StaticFile::new(html, "text/html; charset=utf-8").with_policy(policy(html))
}

/// Allows only the scripts that the page was built with. Style attributes have no hashes.
fn policy(page: &str) -> HeaderValue {
    let scripts: Vec<String> = inline_scripts(page)
        .map(|script| format!("'sha256-{}'", STANDARD.encode(Sha256::digest(script))))
        .collect();
    let policy = format!(
        "default-src 'none'; script-src {}; style-src 'unsafe-inline'; img-src 'self' data:; \
         font-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'",
        scripts.join(" ")
    );
    HeaderValue::try_from(policy).expect("the policy is ASCII")
}

/// Finds inline scripts. The search continues after each: a script may contain `<script>`.
pub(super) fn inline_scripts(mut page: &str) -> impl Iterator<Item = &str> {
    std::iter::from_fn(move || {
        let (_, rest) = page.split_once("<script>")?;
        let (script, rest) = rest.split_once("</script>")?;
        page = rest;
        Some(script)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_names_the_hash_of_each_inline_script() {
        let policy = policy("<p><script>alert(1)</script><p><script>\nlet x;\n</script>");
        let policy = policy.to_str().expect("text");
        // Computed with `openssl dgst -sha256 -binary | base64`.
        for hash in [
            "bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI=",
            "0YMNZmNVWFGB7XulCiz2BCIFZoPOE0gljXmcn+1NzSQ=",
        ] {
            assert!(policy.contains(&format!("'sha256-{hash}'")), "{policy}");
        }
    }
}
