//! Decimal numbers of a dump, read exactly and rounded once.

use kernel::types::money::Money;

/// Digits of a number that are looked at. A DOUBLE has at most 17.
const MOST_DIGITS: usize = 80;
/// An exponent beyond this makes the number 0, or too large for anything.
const MOST_EXPONENT: i64 = 400;

/// A number such as `-12.50` or `1e-7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal<'a> {
    is_negative: bool,
    whole: &'a str,
    fraction: &'a str,
    exponent: i64,
}

impl<'a> Decimal<'a> {
    pub fn parse(text: &'a str) -> Option<Self> {
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let is_negative = mantissa.starts_with('-');
        let digits = mantissa.strip_prefix(['-', '+']).unwrap_or(mantissa);
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let all_digits = |text: &str| text.bytes().all(|digit| digit.is_ascii_digit());
        let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
        let is_number = !(whole.is_empty() && fraction.is_empty())
            && all_digits(whole)
            && all_digits(fraction)
            && whole.len() + fraction.len() <= MOST_DIGITS;
        let exponent = exponent.parse().ok()?;
        is_number.then_some(Self {
            is_negative,
            whole,
            fraction,
            exponent,
        })
    }

    /// The number in units of 10^-`places`, rounded half away from zero, and whether it was exact.
    /// `None` if it does not fit.
    pub fn rounded(self, places: u32) -> Option<(i128, bool)> {
        let digits: Vec<u8> = self.whole.bytes().chain(self.fraction.bytes()).collect();
        let exponent = self.exponent.clamp(-MOST_EXPONENT, MOST_EXPONENT);
        // How many of the digits are before the last place.
        let kept = self.whole.len() as i64 + exponent + i64::from(places);
        let digit = |at: i64| {
            let at = usize::try_from(at).ok()?;
            digits.get(at).map(|digit| i128::from(digit - b'0'))
        };
        let mut value = 0_i128;
        for at in 0..kept.max(0) {
            value = value.checked_mul(10)?.checked_add(digit(at).unwrap_or(0))?;
        }
        let rest = usize::try_from(kept.max(0)).unwrap_or(0).min(digits.len());
        let is_exact = digits[rest..].iter().all(|digit| *digit == b'0');
        if digit(kept).is_some_and(|next| next >= 5) {
            value = value.checked_add(1)?;
        }
        Some((if self.is_negative { -value } else { value }, is_exact))
    }

    pub fn is_negative(self) -> bool {
        self.is_negative && self.rounded(10).is_none_or(|(value, _)| value != 0)
    }

    /// An amount of money, rounded to this many places, and whether it was exact. `None` beyond the
    /// limit of amounts.
    pub fn money(self, places: u32) -> Option<(Money, bool)> {
        const LIMIT: i64 = 1_000_000_000_000 * Money::ONE;
        let (value, is_exact) = self.rounded(places)?;
        let unit = i128::from(Money::ONE) / 10_i128.pow(places);
        let parts = i64::try_from(value.checked_mul(unit)?).ok()?;
        let fits = (-LIMIT..=LIMIT).contains(&parts);
        fits.then_some((Money::from_parts(parts), is_exact))
    }
}

/// The shortest number that a FLOAT column reads as this one, if it is such a number exactly. A
/// FLOAT that was changed to DOUBLE has many digits that nobody has typed.
pub fn shortest(text: &str) -> Option<String> {
    let wide: f64 = text.parse().ok()?;
    // Only the digits are of interest: nothing is computed with these numbers.
    let narrow = wide as f32;
    let is_float = narrow.is_finite() && f64::from(narrow).to_bits() == wide.to_bits();
    is_float.then(|| narrow.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_half_away_from_zero() {
        for (text, places, value, is_exact) in [
            ("3.005", 2, 301, false),
            ("3.004999", 2, 300, false),
            ("-3.005", 2, -301, false),
            ("12345.669921875", 2, 1_234_567, false),
            ("10000000", 2, 1_000_000_000, true),
            ("0.0000001", 2, 0, false),
            ("1e-7", 2, 0, false),
            ("5e-3", 2, 1, false),
            ("1.5E3", 2, 150_000, true),
            ("9.995", 2, 1_000, false),
            (".5", 0, 1, false),
            ("5.", 1, 50, true),
            ("0.5e1", 0, 5, true),
            ("1e-400", 4, 0, false),
            ("-0.00", 2, 0, true),
            ("101.337", 10, 1_013_370_000_000, true),
        ] {
            let read = Decimal::parse(text).expect(text).rounded(places);
            assert_eq!(read, Some((value, is_exact)), "{text}");
        }
        assert_eq!(Decimal::parse("1e300").expect("a number").rounded(2), None);
        assert_eq!(Decimal::parse("3e38").expect("a number").money(2), None);
    }

    #[test]
    fn other_texts_are_not_numbers() {
        for text in [
            "", "-", ".", "1,5", "0x1", "1e", "1e1.5", "NaN", "inf", " 1", "--1",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        assert_eq!(Decimal::parse(&"1".repeat(81)), None);
    }

    #[test]
    fn a_float_in_a_double_gets_its_shortest_form() {
        assert_eq!(shortest("101.33699798583984").as_deref(), Some("101.337"));
        assert_eq!(shortest("92.5").as_deref(), Some("92.5"));
        assert_eq!(shortest("101.337"), None);
        assert_eq!(shortest("1e300"), None);
    }
}
