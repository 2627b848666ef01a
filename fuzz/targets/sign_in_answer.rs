//! Checks that the query string with which a visitor comes back is read as every other reader does,
//! or refused.
#![cfg_attr(fuzzing, no_main)]

use std::collections::BTreeMap;

use accounts::sign_in::Answer;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|query: &str| {
    let Ok(answer) = Answer::parse(query) else {
        return;
    };
    let plain = query.strip_prefix('?').unwrap_or(query);
    let pairs: Vec<(String, String)> = form_urlencoded::parse(plain.as_bytes())
        .into_owned()
        .collect();
    let ours: Vec<(&str, &str)> = answer.beginning_with("").collect();
    let theirs: Vec<(&str, &str)> = pairs
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    assert_eq!(ours, theirs);
    let mut counts = BTreeMap::new();
    for (name, _) in &ours {
        *counts.entry(*name).or_insert(0) += 1;
    }
    for (name, count) in counts {
        assert_eq!(answer.find(name).is_ok(), count == 1, "{name}");
        assert_eq!(answer.one(name).is_ok(), count == 1, "{name}");
    }
    // What is read is read again the same.
    let written = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(&ours)
        .finish();
    let again = Answer::parse(&written).unwrap_or_else(|_| panic!("{written} was written here"));
    assert_eq!(again.beginning_with("").collect::<Vec<_>>(), ours);
});
