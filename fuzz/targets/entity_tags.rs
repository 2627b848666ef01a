//! Compares any `If-Match` and `If-None-Match` with a tag. A list that contains the tag must match.
#![cfg_attr(fuzzing, no_main)]

use kernel::write::etag::{Condition, find};
use libfuzzer_sys::fuzz_target;

const TAG: &str = "\"aZ-_09\"";

fn allows(header: String) -> bool {
    Condition::if_match(header).allows(|| TAG.to_owned())
}

fuzz_target!(|header: &str| {
    let matches = find(header, TAG).is_some();
    let allowed = allows(header.to_owned());
    let is_named = header.contains(&TAG[1..TAG.len() - 1]) || header.trim() == "*";
    assert!(is_named || !(matches || allowed));
    let with_tag = format!("{header},{TAG}");
    assert!(find(&with_tag, TAG).is_some() && allows(with_tag));
    // A weak tag never allows a change.
    if header.trim().starts_with("W/") && !header.contains(',') {
        assert!(!allowed);
    }
});
