//! URLs that are shown as links.

/// Whether this is a URL with the scheme `http` or `https` and a host.
pub fn is_web_address(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else {
        return false;
    };
    let is_web = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    is_web && !rest.is_empty() && !rest.starts_with(['/', '?', '#', ':', '@'])
}

/// What is wrong with a URL that must be relative or have one of these schemes.
pub fn link_fault(url: &str, schemes: &[&str]) -> Option<String> {
    // Browsers remove these before they parse the scheme, so `java\nscript:` would run.
    if url.starts_with(' ') || url.chars().any(|c| c.is_ascii_control()) {
        return Some("must not begin with a space or contain control characters".into());
    }
    let first_segment = url.split(['/', '?', '#']).next().unwrap_or_default();
    let scheme = first_segment.split_once(':').map(|(scheme, _)| scheme);
    let is_allowed = |scheme: &str| schemes.iter().any(|ok| ok.eq_ignore_ascii_case(scheme));
    if scheme.is_none_or(is_allowed) {
        return None;
    }
    let begins = schemes.join(":, ");
    let begins = match begins.rsplit_once(", ") {
        Some((others, last)) => format!("{others} or {last}"),
        None => begins,
    };
    Some(format!("must be relative or begin with {begins}:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schemes_are_named_as_a_sentence_does() {
        for (schemes, named) in [
            (&["http"][..], "http:"),
            (&["http", "https"], "http: or https:"),
            (&["http", "https", "mailto"], "http:, https: or mailto:"),
        ] {
            let fault = link_fault("ftp:x", schemes).expect("another scheme");
            assert_eq!(fault, format!("must be relative or begin with {named}"));
        }
    }

    #[test]
    fn an_address_on_the_web_has_a_host() {
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
