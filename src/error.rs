//! Errors of commands, worded for the operator at the terminal.

use std::error::Error;

use kernel::input::Faults;
use serde_json::Value;

pub type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// Replaces an internal error by its cause, which the API hides from clients.
pub fn cause(error: Box<dyn Error>) -> Box<dyn Error> {
    match error.downcast::<kernel::Error>().map(|error| *error) {
        Ok(kernel::Error::Internal(cause)) => cause,
        Ok(kernel::Error::Invalid(faults)) => sentences(&faults).into(),
        Ok(other) => other.into(),
        Err(other) => other,
    }
}

/// The error's message, with the causes that it does not mention.
pub fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        let cause = error.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
        next = error.source();
    }
    text
}

/// All input errors on one line, such as `email: has already been taken`.
fn sentences(faults: &Faults) -> String {
    let Ok(Value::Object(fields)) = serde_json::to_value(faults) else {
        return "the input is invalid".to_owned();
    };
    let fields = fields.iter().flat_map(|(field, sentences)| {
        let sentences = sentences.as_array().into_iter().flatten();
        let sentences = sentences.filter_map(Value::as_str);
        sentences.map(move |sentence| format!("{field}: {sentence}"))
    });
    fields.collect::<Vec<_>>().join("; ")
}
