//! Any JSON value, stored as sent.

use super::{Characters, Fault};

/// The maximum nesting. Many JSON parsers refuse little more than this.
const MAX_LEVELS: usize = 100;

const NUL: Fault = Fault::ForbiddenCharacters {
    forbidden: Characters::Nul,
};

/// Refuses valid JSON that cannot be stored: invalid Unicode, NUL, or too deep nesting.
pub fn json_fault(json: &str) -> Option<Fault> {
    let mut levels = 0_usize;
    let mut rest = json;
    while let Some(at) = rest.find(['"', '[', ']', '{', '}']) {
        rest = &rest[at..];
        let mut step = 1;
        match rest.as_bytes()[0] {
            b'"' => {
                let mut strings = serde_json::Deserializer::from_str(rest).into_iter::<String>();
                match strings.next() {
                    Some(Ok(text)) if !text.contains('\0') => step = strings.byte_offset(),
                    Some(Ok(_)) => return Some(NUL),
                    _ => return Some(Fault::NotUnicode {}),
                }
            }
            b'[' | b'{' => levels += 1,
            _ => levels -= 1,
        }
        if levels > MAX_LEVELS {
            return Some(Fault::TooDeep {
                max: MAX_LEVELS as i64,
            });
        }
        rest = &rest[step..];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_string_is_validated_at_any_depth() {
        for good in [
            "1e999",
            "true",
            r#""[{[{""#,
            r#"{"a\"]":["\\","\ud83e\udd80",{"b":[]}],"a\"]":{}}"#,
        ] {
            assert_eq!(json_fault(good), None, "{good}");
        }
        for half in [
            r#""\ud800""#,
            r#"[1,["\udd80"]]"#,
            r#"{"\ud800":1}"#,
            r#"{"a":1,"a":"\ud800","a":2}"#,
        ] {
            assert_eq!(json_fault(half), Some(Fault::NotUnicode {}), "{half}");
        }
        for nul in [r#""\u0000""#, r#"{"a\u0000":1}"#] {
            assert_eq!(json_fault(nul), Some(NUL), "{nul}");
        }
    }

    #[test]
    fn nesting_is_limited() {
        let nested = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(json_fault(&nested(100)), None);
        assert!(json_fault(&nested(101)).is_some());
        assert!(json_fault(&nested(100_000)).is_some());
        // Closed levels do not count.
        assert_eq!(json_fault(&format!("[{}1]", "[],".repeat(500))), None);
    }
}
