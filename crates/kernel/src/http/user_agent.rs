//! The `User-Agent` in the log. Clients may send anything in it.

use std::borrow::Cow;

use axum::http::HeaderValue;

const MOST_BYTES: usize = 256;
const MASK: &str = "***";

/// The prefixes of the service's secrets.
const SECRETS: [&str; 3] = ["stw_", "sts_", "whsec_"];
/// The shortest API key that an operator can choose.
const SHORTEST_KEY: usize = 16;

/// The beginning of the header, with all but plain characters escaped, so that no control character
/// reaches a terminal.
pub fn shown(header: &HeaderValue) -> Cow<'_, str> {
    let bytes = header.as_bytes();
    let bytes = &bytes[..bytes.len().min(MOST_BYTES)];
    let is_plain = |byte: &u8| (b' '..=b'~').contains(byte);
    match std::str::from_utf8(bytes) {
        Ok(text) if may_be_secret(text) => Cow::Borrowed(MASK),
        Ok(text) if bytes.iter().all(is_plain) => Cow::Borrowed(text),
        _ => bytes.escape_ascii().to_string().into(),
    }
}

/// Returns `true` if the text may be a key in the wrong header, which the log must never contain.
/// Names of programs have a version after a slash, or are short.
fn may_be_secret(text: &str) -> bool {
    let is_one_word = !text.contains(['/', ' ']);
    is_one_word && text.len() >= SHORTEST_KEY || SECRETS.iter().any(|start| text.contains(start))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown_of(bytes: &[u8]) -> String {
        let header = HeaderValue::from_bytes(bytes).expect("a header");
        shown(&header).into_owned()
    }

    #[test]
    fn a_user_agent_is_shown_as_it_is() {
        for agent in [
            "",
            "Lynx",
            "curl/8.5.0",
            "python-requests/2.31.0",
            "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)",
            "say \"hi\"\\ again",
        ] {
            assert_eq!(shown_of(agent.as_bytes()), agent);
        }
    }

    #[test]
    fn a_long_user_agent_is_truncated_and_special_characters_are_escaped() {
        let long = "a/".repeat(200);
        assert_eq!(shown_of(long.as_bytes()), long[..256]);
        assert_eq!(
            shown_of("Bot/1 \t\u{9b}31m".as_bytes()),
            r"Bot/1 \t\xc2\x9b31m"
        );
        assert_eq!(shown_of(b"Bot/1 \xff"), r"Bot/1 \xff");
    }

    #[test]
    fn a_user_agent_that_may_be_a_secret_is_masked() {
        for secret in [
            "correct-horse-battery-staple",
            "stw_0123456789abcdef",
            "Bot/1.0 stw_0123",
            "Bot/1.0 (key=sts_0123)",
            "whsec_x",
        ] {
            assert_eq!(shown_of(secret.as_bytes()), MASK, "{secret}");
        }
    }
}
