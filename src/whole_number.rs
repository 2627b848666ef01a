//! Whole numbers on the command line, in the environment and in `steward.toml`.

use std::fmt::Display;
use std::ops::{Bound, RangeBounds};
use std::str::FromStr;

/// Parses a number in `range`. The message says which numbers are allowed.
pub fn whole_number<T, R>(
    range: R,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static
where
    T: FromStr + PartialOrd + Display,
    R: RangeBounds<T> + Clone + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("it must be a whole number{}", limits(&range)))
    }
}

fn limits<T: Display>(range: &impl RangeBounds<T>) -> String {
    match (range.start_bound(), range.end_bound()) {
        (Bound::Included(least), Bound::Included(most)) => format!(" from {least} to {most}"),
        (Bound::Included(least), _) => format!(" of at least {least}"),
        (_, Bound::Included(most)) => format!(" of at most {most}"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_in_the_range_is_accepted() {
        assert_eq!(whole_number(1..=10)("10"), Ok(10_u32));
        assert_eq!(whole_number(2..)("65535"), Ok(65_535_u16));
        assert_eq!(whole_number(..=5)("0"), Ok(0_u32));
    }

    #[test]
    fn the_message_says_which_numbers_are_allowed() {
        for text in ["0", "11", "-1", "1.5", "ten", "", "99999999999"] {
            let refused = whole_number::<u32, _>(1..=10)(text);
            let expected = "it must be a whole number from 1 to 10";
            assert_eq!(refused, Err(expected.into()), "{text}");
        }
        let refused = whole_number::<u16, _>(2..)("65536");
        assert_eq!(
            refused,
            Err("it must be a whole number of at least 2".into())
        );
        let refused = whole_number::<u32, _>(..=5)("6");
        assert_eq!(
            refused,
            Err("it must be a whole number of at most 5".into())
        );
    }
}
