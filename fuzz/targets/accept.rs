//! Checks that any `Accept` chooses one of the media types, or none.
#![cfg_attr(fuzzing, no_main)]

use kernel::http::accept::Accept;
use libfuzzer_sys::fuzz_target;

const KINDS: [&str; 2] = ["text/csv", "application/x-ndjson"];

fuzz_target!(|header: &str| {
    let accept = Accept::from_header(Some(header.to_owned()));
    let chosen = accept.choose(&KINDS);
    assert!(chosen.is_none_or(|chosen| KINDS.contains(&chosen)));
    // Both media types together are refused exactly if each alone is.
    let alone = KINDS.map(|kind| accept.choose(&[kind]));
    assert_eq!(chosen.is_none(), alone == [None, None]);
});
