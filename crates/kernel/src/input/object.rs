use serde_json::value::RawValue;

use super::{Fault, Fields, Input, Place, Raw, Rule, ValueType};

/// An object inside a request, with its own fields and rules.
#[derive(Debug)]
pub struct Object<T>(pub T);

impl<T: Input> Rule for Object<T> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        match raw {
            Raw::Json(json) => object(json, place).map(Self),
            Raw::Query(_) => not_an_object(place),
        }
    }
}

pub(super) fn object<T: Input>(json: &RawValue, place: &mut Place<'_>) -> Option<T> {
    match Fields::of_object(json) {
        Some(fields) => T::read_at(&fields, place),
        None => not_an_object(place),
    }
}

/// The valid fields of an object. Anything but an object has none.
pub(super) fn partial_object<T: Input>(json: &RawValue, place: &mut Place<'_>) -> T::Partial {
    let fields = Fields::of_object(json).unwrap_or_default();
    T::read_partial(&fields, place)
}

fn not_an_object<T>(place: &mut Place<'_>) -> Option<T> {
    place.add(Fault::wrong_type(ValueType::Object));
    None
}
