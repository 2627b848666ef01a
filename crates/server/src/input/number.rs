//! JSON numbers, read exactly and never as binary floating point.

/// Whether this piece of valid JSON is a number.
pub fn is_number(json: &str) -> bool {
    json.starts_with(|c: char| c == '-' || c.is_ascii_digit())
}

/// The value of a JSON number if it is integral (`1`, `1.0` and `1e2` are) and fits.
pub fn integer(json: &str) -> Option<i64> {
    if let Ok(plain) = json.parse() {
        return Some(plain);
    }
    let (mantissa, exponent) = json.split_once(['e', 'E']).unwrap_or((json, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let (sign, whole) = match whole.strip_prefix('-') {
        Some(whole) => ("-", whole),
        None => ("", whole),
    };
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    // How many zeros follow the significant digits; negative when a fraction is left.
    let exponent: i64 = exponent.parse().ok()?;
    let zeros = exponent
        .checked_sub(fraction.len() as i64)?
        .checked_add((digits.len() - significant.len()) as i64)?;
    if !(0..20).contains(&zeros) {
        return None;
    }
    format!("{sign}{significant}{}", "0".repeat(zeros as usize))
        .parse()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::integer;

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
    fn fractions_and_what_does_not_fit_are_refused() {
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
}
