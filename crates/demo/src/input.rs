use kernel::input::{Fields, Input};
use kernel::{Error, Result};
use serde::Serialize;
use serde_json::value::to_raw_value;

/// Parses the fields like a request body, so that all rules of requests apply.
pub fn input<T: Input>(fields: &impl Serialize) -> Result<T> {
    let json = to_raw_value(fields).map_err(Error::internal)?;
    let fields = Fields::of_object(&json).ok_or(Error::internal("demo data is not an object"))?;
    T::read(&fields, true).map_err(Error::from)
}
