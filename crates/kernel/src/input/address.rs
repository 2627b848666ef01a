//! URLs that are shown as links.

use super::{Characters, Fault};

/// Returns `true` if this is a URL with the scheme `http` or `https` and a host.
pub fn is_web_address(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    is_web && !rest.is_empty() && !rest.starts_with(['/', '?', '#', ':', '@'])
}

/// Returns the fault of a URL that is neither relative nor has one of these schemes.
pub fn link_fault(url: &str, schemes: &'static [&'static str]) -> Option<Fault> {
    // Browsers remove these before they parse the scheme, so `java\nscript:` would run.
    if url.starts_with(' ') {
        return Some(Fault::LeadingSpace {});
    }
    if url.chars().any(|c| c.is_ascii_control()) {
        return Some(Fault::ForbiddenCharacters {
            forbidden: Characters::Control,
        });
    }
    let first_segment = url.split(['/', '?', '#']).next().unwrap_or_default();
    let scheme = first_segment.split_once(':').map(|(scheme, _)| scheme);
    let is_allowed = |scheme: &str| schemes.iter().any(|ok| ok.eq_ignore_ascii_case(scheme));
    match scheme.is_none_or(is_allowed) {
        true => None,
        false => Some(Fault::ForbiddenScheme { schemes }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fault_lists_the_schemes_as_in_a_sentence() {
        for (schemes, named) in [
            (&["http"][..], "http:"),
            (&["http", "https"], "http: or https:"),
            (&["http", "https", "mailto"], "http:, https: or mailto:"),
        ] {
            let fault = link_fault("ftp:x", schemes).expect("another scheme");
            let sentence = format!("must be relative or begin with {named}");
            assert_eq!(fault.to_string(), sentence);
        }
    }

    #[test]
    fn a_web_address_has_a_host() {
        for good in [
            "https://example.com/a?b=c#d",
            "HTTP://x",
            "https://пример.рф",
        ] {
            assert!(is_web_address(good), "{good}");
        }
        for bad in [
            "",
            "example.com",
            "ftp://x",
            "https:",
            "https:/x",
            "https:///x",
            "http://:80",
        ] {
            assert!(!is_web_address(bad), "{bad}");
        }
    }
}
