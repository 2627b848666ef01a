//! The meaning of an absent field.

use super::{Fault, Place, Raw, Rule};

/// The type of a field in an input.
pub trait Presence: Sized {
    fn read_field(raw: Option<Raw<'_>>, place: &mut Place<'_>) -> Option<Self>;
}

/// A plain type is required.
impl<T: Rule> Presence for T {
    fn read_field(raw: Option<Raw<'_>>, place: &mut Place<'_>) -> Option<Self> {
        match raw {
            Some(raw) if !raw.is_null() => T::read(raw, place),
            Some(_) => null(place),
            None => {
                place.add(Fault::Required {});
                None
            }
        }
    }
}

fn null<T>(place: &mut Place<'_>) -> Option<T> {
    place.add(Fault::NullValue {});
    None
}

/// An optional field may be left out; `null` means the same.
impl<T: Rule> Presence for Option<T> {
    fn read_field(raw: Option<Raw<'_>>, place: &mut Place<'_>) -> Option<Self> {
        match raw {
            Some(raw) if !raw.is_null() => T::read(raw, place).map(Some),
            _ => Some(None),
        }
    }
}

/// A field of an update. If it is left out, the stored value is kept.
#[derive(Debug, PartialEq, Eq)]
pub enum Patch<T> {
    Keep,
    Set(T),
}

impl<T> Patch<T> {
    /// The new value if one was given, otherwise the `current` one.
    pub fn or(self, current: impl Into<T>) -> T {
        match self {
            Self::Keep => current.into(),
            Self::Set(value) => value,
        }
    }

    /// The new value, if one was given.
    pub fn given(self) -> Option<T> {
        match self {
            Self::Keep => None,
            Self::Set(value) => Some(value),
        }
    }
}

impl<T: Rule> Presence for Patch<T> {
    fn read_field(raw: Option<Raw<'_>>, place: &mut Place<'_>) -> Option<Self> {
        match raw {
            None => Some(Self::Keep),
            Some(raw) if !raw.is_null() => T::read(raw, place).map(Self::Set),
            Some(_) => match T::when_null() {
                Some(value) => Some(Self::Set(value)),
                None => null(place),
            },
        }
    }
}

/// A value that may be `null`. In `Patch<Nullable<T>>`, absent keeps it and `null` clears it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nullable<T>(pub Option<T>);

impl<S: Into<T>, T> From<Option<S>> for Nullable<T> {
    fn from(value: Option<S>) -> Self {
        Self(value.map(Into::into))
    }
}

impl<T: Rule> Rule for Nullable<T> {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        T::read(raw, place).map(|value| Self(Some(value)))
    }

    fn when_null() -> Option<Self> {
        Some(Self(None))
    }
}
