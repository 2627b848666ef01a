//! Checks that any body and any query string gives an input or an error, with and without
//! `Prefer: handling=strict`.
#![cfg_attr(fuzzing, no_main)]

use kernel::Error;
use kernel::http::body::Payload;
use kernel::input;
use kernel::input::{
    DayOrMoment, Fields, Ids, Input, Int, List, Moment, Nullable, Object, Patch, Positive, Raw,
    Text, Word,
};
use kernel::types::money::Money;
use kernel::types::{Day, IpNetworks};
use libfuzzer_sys::fuzz_target;

input! {
    /// A part of the input.
    pub struct Part {
        id: Positive,
        name: Option<Text<1, 10>>,
    }
}

input! {
    /// A field for each kind of rule.
    pub struct Everything {
        text: Text<1, 20>,
        flag: Option<bool>,
        number: Patch<Nullable<Int<1, 65535>>>,
        amount: Option<Money>,
        moment: Option<Moment>,
        day: Option<Day>,
        from: Option<DayOrMoment>,
        word: Option<Word<32>>,
        ids: Option<Ids>,
        networks: Option<IpNetworks>,
        part: Option<Object<Part>>,
        parts: Option<List<Part>>,
        first: Option<bool>,
        second: Option<bool>,
    }
    not both first and second
}

fuzz_target!(|bytes: &[u8]| {
    let lenient = Everything::parse(bytes, false);
    let strict = Everything::parse(bytes, true);
    // Strictly valid input is also valid otherwise.
    assert!(strict.is_err() || lenient.is_ok());
    if let Err(Error::Invalid(faults)) = &lenient {
        assert!(!faults.is_empty());
    }
    if let Ok(input) = lenient {
        assert!((1..=20).contains(&input.text.as_str().chars().count()));
        assert!(!(input.first == Some(true) && input.second == Some(true)));
    }

    let pairs: Vec<(String, String)> = form_urlencoded::parse(bytes).into_owned().collect();
    let fields: Fields<'_> = pairs
        .iter()
        .map(|(name, value)| (name.clone(), Raw::Query(value)))
        .collect();
    if let Err(faults) = Everything::read(&fields, true) {
        assert!(!faults.is_empty());
    }
});
