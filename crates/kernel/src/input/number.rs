//! JSON numbers, parsed exactly, without binary floating point.

/// Returns `true` if this piece of valid JSON is a number.
pub fn is_number(json: &str) -> bool {
    json.starts_with(|c: char| c == '-' || c.is_ascii_digit())
}

/// Reads an integral JSON number (`1`, `1.0` and `1e2` are integral) that fits 64 bits.
pub fn integer(json: &str) -> Option<i64> {
    if let Ok(plain) = json.parse() {
        return Some(plain);
    }
    decimal(json, 0).ok()?.try_into().ok()
}

/// Reads an integral number above 0. One that does not fit is read as the largest that does.
pub fn positive_integer(json: &str) -> Option<i64> {
    match decimal(json, 0) {
        Ok(value) => Some(i64::try_from(value).unwrap_or(i64::MAX)).filter(|_| value > 0),
        Err(Unfit::TooLarge) if !json.starts_with('-') => Some(i64::MAX),
        Err(_) => None,
    }
}

/// Why a number cannot be read with the given number of decimal places.
#[derive(Debug, PartialEq, Eq)]
pub enum Unfit {
    TooFine,
    TooLarge,
}

/// The value of a JSON number in units of its last allowed decimal place: with two places,
/// `1.5` is 150.
pub fn decimal(json: &str, places: u32) -> Result<i128, Unfit> {
    let (mantissa, exponent) = json.split_once(['e', 'E']).unwrap_or((json, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (sign, whole) = match whole.strip_prefix('-') {
        Some(whole) => (-1, whole),
        None => (1, whole),
    };
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let dropped = digits.len() - significant.len();
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() {
        return Ok(0);
    }
    // An exponent too long to parse is out of range in either direction.
    let far = if exponent.starts_with('-') {
        i64::MIN
    } else {
        i64::MAX
    };
    // The number of zeros after the significant digits; negative with too many decimal places.
    let zeros = exponent
        .parse()
        .unwrap_or(far)
        .saturating_sub(fraction.len() as i64)
        .saturating_add(dropped as i64)
        .saturating_add(places.into());
    if zeros < 0 {
        return Err(Unfit::TooFine);
    }
    let zeros = u32::try_from(zeros).map_err(|_| Unfit::TooLarge)?;
    let read = significant.parse::<i128>().ok();
    read.zip(10_i128.checked_pow(zeros))
        .and_then(|(read, power)| read.checked_mul(power))
        .map(|value| sign * value)
        .ok_or(Unfit::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::{Unfit, decimal, integer};

    #[test]
    fn integral_values_are_read_in_every_form() {
        for (json, value) in [
            ("0", 0),
            ("-0.0", 0),
            ("0e99999999999999999999", 0),
            ("1.0", 1),
            ("-12.00", -12),
            ("1e2", 100),
            ("1.5E1", 15),
            ("1500e-2", 15),
            ("9223372036854775807", i64::MAX),
            ("-9223372036854775808.0", i64::MIN),
            ("9.223372036854775807e18", i64::MAX),
        ] {
            assert_eq!(integer(json), Some(value), "{json}");
        }
    }

    #[test]
    fn fractions_and_numbers_that_do_not_fit_are_refused() {
        for json in [
            "0.5",
            "1e-1",
            "15e-2",
            "9223372036854775808",
            "1e19",
            "1e400",
            "-1e99999999999999999999",
        ] {
            assert_eq!(integer(json), None, "{json}");
        }
    }

    #[test]
    fn decimals_are_read_to_the_last_digit() {
        for (json, value) in [
            ("0", 0),
            ("-0e-99999999999999999999", 0),
            ("0.0001", 1),
            ("1E-4", 1),
            ("-1.50", -15_000),
            ("100", 1_000_000),
            ("1e+3", 10_000_000),
            ("999999999999.9999", 9_999_999_999_999_999),
            ("0.00001e1", 1),
        ] {
            assert_eq!(decimal(json, 4), Ok(value), "{json}");
        }
    }

    #[test]
    fn too_many_decimal_places_and_too_large_a_number_are_different_errors() {
        for (json, unfit) in [
            ("0.00001", Unfit::TooFine),
            ("1e-5", Unfit::TooFine),
            ("1e-99999999999999999999", Unfit::TooFine),
            ("1e40", Unfit::TooLarge),
            ("1e99999999999999999999", Unfit::TooLarge),
            ("170141183460469231731687303715884105728", Unfit::TooLarge),
        ] {
            assert_eq!(decimal(json, 4), Err(unfit), "{json}");
        }
    }
}
