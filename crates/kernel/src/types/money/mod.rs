//! Money: exact decimal numbers, never binary floating point.
//!
//! A value is an integer number of its smallest unit. In JSON it is a plain number, without an
//! exponent or trailing zeros.

use std::fmt;

use serde::{Serialize, Serializer};
use serde_json::value::RawValue;

use crate::inline_schema;
use crate::input::{Fault, Place, Raw, Rule, Unfit, ValueType, decimal, is_number};

/// The largest number that any input accepts.
const LIMIT: i128 = 1_000_000_000_000;

/// An amount of money, in ten-thousandths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Money(i64);

impl Money {
    const PLACES: u32 = 4;
    /// The number of ten-thousandths in one unit.
    pub const ONE: i64 = 10_i64.pow(Self::PLACES);

    pub const fn from_parts(parts: i64) -> Self {
        Self(parts)
    }

    pub const fn whole(units: i64) -> Self {
        Self(units * Self::ONE)
    }

    pub const fn parts(self) -> i64 {
        self.0
    }

    /// The amount after a discount.
    pub fn less(self, discount: Self) -> Self {
        Self(self.0 - discount.0)
    }

    /// This percentage of the amount, rounded half away from zero to two decimal places.
    pub fn percent(self, share: Self) -> Self {
        const CENT: i128 = Money::ONE as i128 / 100;
        let exact = i128::from(self.0) * i128::from(share.0);
        let cent = CENT * 100 * i128::from(Self::ONE);
        let cents = (exact.abs() + cent / 2) / cent * exact.signum();
        // A share is at most 100 %, so the result does not exceed the amount.
        Self(i64::try_from(cents * CENT).unwrap_or(self.0))
    }
}

/// The price of one currency in another, in units of 10^-10.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate(i128);

impl Rate {
    const PLACES: u32 = 10;

    /// Reads the output of `Display`.
    pub fn from_stored(text: &str) -> Option<Self> {
        decimal(text, Self::PLACES).ok().map(Self)
    }
}

/// A sum of amounts, which may exceed the range of `Money`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum(i128);

impl Sum {
    /// The sum of `whole` units and `fraction` ten-thousandths.
    pub fn from_split(whole: i64, fraction: i64) -> Self {
        Self(i128::from(whole) * i128::from(Money::ONE) + i128::from(fraction))
    }

    /// A sum of `millions` of whole units.
    pub fn from_millions(millions: i64) -> Self {
        Self(i128::from(millions) * 1_000_000 * i128::from(Money::ONE))
    }
}

impl std::ops::AddAssign for Sum {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

fn write(f: &mut fmt::Formatter<'_>, value: i128, places: u32) -> fmt::Result {
    let one = 10_u64.pow(places);
    // Almost every number fits in 64 bits, and 128-bit division takes ten times as long.
    let (whole, fraction) = match u64::try_from(value.unsigned_abs()) {
        Ok(value) => (u128::from(value / one), value % one),
        Err(_) => {
            let (value, one) = (value.unsigned_abs(), u128::from(one));
            (value / one, (value % one) as u64)
        }
    };
    let sign = if value < 0 { "-" } else { "" };
    write!(f, "{sign}{whole}")?;
    if fraction == 0 {
        return Ok(());
    }
    let (mut digits, mut width) = (fraction, places as usize);
    while digits.is_multiple_of(10) {
        (digits, width) = (digits / 10, width - 1);
    }
    write!(f, ".{digits:0width$}")
}

/// The number as an integer, if it has no fraction. JSON libraries write integers much faster than
/// text that they have to validate.
fn whole(value: i128, places: u32) -> Option<i64> {
    let value = i64::try_from(value).ok()?;
    let one = 10_i64.pow(places);
    (value % one == 0).then_some(value / one)
}

macro_rules! plain_number {
    ($type:ident, $places:expr) => {
        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write(f, self.0.into(), $places)
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                if let Some(whole) = whole(self.0.into(), $places) {
                    return serializer.serialize_i64(whole);
                }
                let number = RawValue::from_string(self.to_string());
                number
                    .map_err(serde::ser::Error::custom)?
                    .serialize(serializer)
            }
        }
    };
}

plain_number!(Money, Money::PLACES);
plain_number!(Rate, Rate::PLACES);
plain_number!(Sum, Money::PLACES);

/// Reads a number of at most `places` decimal places, from `least` to the limit.
fn read(raw: Raw<'_>, place: &mut Place<'_>, places: u32, least: i128) -> Option<i128> {
    let json = match raw {
        Raw::Json(json) if is_number(json.get()) => json.get(),
        _ => {
            place.add(Fault::wrong_type(ValueType::Number));
            return None;
        }
    };
    let negative = json.starts_with('-');
    match decimal(json, places) {
        Ok(value) if value < least => place.add(too_small(least)),
        Err(_) if negative => place.add(too_small(least)),
        Ok(value) if value <= LIMIT * 10_i128.pow(places) => return Some(value),
        Err(Unfit::TooFine) => place.add(Fault::TooManyDecimals { max: places.into() }),
        Ok(_) | Err(Unfit::TooLarge) => place.add(Fault::TooLarge { max: LIMIT as i64 }),
    }
    None
}

fn too_small(least: i128) -> Fault {
    if least > 0 {
        Fault::NotPositive {}
    } else {
        Fault::Negative {}
    }
}

/// An amount in a request is at least 0.
impl Rule for Money {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let parts = read(raw, place, Self::PLACES, 0)?;
        i64::try_from(parts).ok().map(Self)
    }
}

inline_schema!(Money, {
    "type": "number", "minimum": 0, "maximum": LIMIT as i64, "multipleOf": 0.0001,
});

/// A rate in a request is greater than 0.
impl Rule for Rate {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        read(raw, place, Self::PLACES, 1).map(Self)
    }
}

inline_schema!(Rate, {
    "type": "number", "exclusiveMinimum": 0, "maximum": LIMIT as i64, "multipleOf": 1e-10,
});

/// An amount greater than 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Price(pub Money);

impl Rule for Price {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let parts = read(raw, place, Money::PLACES, 1)?;
        i64::try_from(parts).ok().map(Money).map(Self)
    }
}

inline_schema!(Price, {
    "type": "number", "exclusiveMinimum": 0, "maximum": LIMIT as i64, "multipleOf": 0.0001,
});

inline_schema!(Sum, { "type": "number", "minimum": 0 });

/// The schema of all of these in responses. No `multipleOf`: validators that compute in floating
/// point reject valid amounts.
pub struct Plain;

inline_schema!(Plain, { "type": "number", "minimum": 0 });

impl From<Money> for db::Value<'_> {
    fn from(money: Money) -> Self {
        Self::Int(money.0)
    }
}

#[cfg(test)]
mod tests;
