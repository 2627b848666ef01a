use proptest::prelude::*;
use serde_json::value::RawValue;

use super::*;
use crate::input::Faults;

fn read<T: Rule>(json: &str) -> Result<T, String> {
    let json: &RawValue = serde_json::from_str(json).expect(json);
    let mut faults = Faults::default();
    let value = T::read(Raw::Json(json), &mut faults.at("field"));
    value.ok_or_else(|| {
        let faults = serde_json::to_value(&faults).expect("faults serialise");
        faults["field"][0].as_str().expect("a sentence").to_owned()
    })
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("money serialises")
}

fn money(text: &str) -> Money {
    read(text).expect(text)
}

#[test]
fn a_number_is_read_in_any_form_and_written_in_one() {
    for (form, plain) in [
        ("0", "0"),
        ("-0.0", "0"),
        ("100", "100"),
        ("100.50", "100.5"),
        ("1E3", "1000"),
        ("1e-4", "0.0001"),
        ("12.3400e0", "12.34"),
        ("1e12", "1000000000000"),
        ("999999999999.9999", "999999999999.9999"),
    ] {
        assert_eq!(json(&money(form)), plain, "{form}");
    }
    for (form, plain) in [
        ("1e-7", "0.0000001"),
        ("1e-10", "0.0000000001"),
        ("999999999999.9999999999", "999999999999.9999999999"),
        ("1.0", "1"),
    ] {
        let rate: Rate = read(form).expect(form);
        assert_eq!(json(&rate), plain, "{form}");
        assert_eq!(Rate::from_stored(&rate.to_string()), Some(rate), "{form}");
    }
}

#[test]
fn an_invalid_number_gets_a_message() {
    for (form, sentence) in [
        (r#""100""#, "must be a number"),
        ("true", "must be a number"),
        ("-1", "must not be negative"),
        ("-0.00001", "must not be negative"),
        ("-1e99", "must not be negative"),
        ("0.00001", "must have at most 4 decimal places"),
        ("1000000000000.0001", "must be at most 1000000000000"),
        ("1e99999999999999999999", "must be at most 1000000000000"),
    ] {
        assert_eq!(read::<Money>(form), Err(sentence.into()), "{form}");
    }
    for (form, sentence) in [
        ("0", "must be greater than 0"),
        ("-1", "must be greater than 0"),
        ("0.00001", "must have at most 4 decimal places"),
        ("1e13", "must be at most 1000000000000"),
    ] {
        assert_eq!(read::<Price>(form), Err(sentence.into()), "{form}");
    }
    for (form, sentence) in [
        ("0", "must be greater than 0"),
        ("1e-11", "must have at most 10 decimal places"),
        ("1000000000000.0000000001", "must be at most 1000000000000"),
    ] {
        assert_eq!(read::<Rate>(form), Err(sentence.into()), "{form}");
    }
}

#[test]
fn shares_round_half_away_from_zero_to_two_places() {
    for (amount, share, discount) in [
        ("100", "10", "10"),
        ("0.05", "10", "0.01"),
        ("0.0499", "10", "0"),
        ("0.1", "15", "0.02"),
        ("99.99", "33.3333", "33.33"),
        ("0.005", "100", "0.01"),
        ("1e12", "100", "1000000000000"),
    ] {
        assert_eq!(money(amount).percent(money(share)), money(discount));
    }
}

fn parts() -> impl Strategy<Value = i64> {
    let most = Money::whole(LIMIT as i64).parts();
    prop_oneof![0..=most, most - 100_000..=most, 0..100_000_i64]
}

proptest! {
    #[test]
    fn a_written_amount_reads_back_the_same(parts in parts()) {
        let value = Money::from_parts(parts);
        let written = json(&value);
        prop_assert_eq!(money(&written), value);
        prop_assert!(!written.contains(['e', 'E']));
        prop_assert!(!written.contains('.') || !written.ends_with(['0', '.']));
    }

    #[test]
    fn the_decimal_point_may_be_anywhere(parts in parts(), shift in -30_i32..30) {
        let value = Money::from_parts(parts);
        let digits = parts.to_string();
        let form = format!("{digits}e{}", -4);
        prop_assert_eq!(money(&form), value);
        let padded = format!("0.{}{digits}e{}", "0".repeat(30), 30 + digits.len() as i32 - 4);
        prop_assert_eq!(money(&padded), value);
        let zeros = "0".repeat(shift.unsigned_abs() as usize);
        let trailing = format!("{digits}{zeros}e{}", -4 - shift.abs());
        prop_assert_eq!(money(&trailing), value);
    }

    #[test]
    fn a_stored_rate_reads_back_the_same(parts in 1..=LIMIT * 10_i128.pow(10)) {
        let rate = Rate(parts);
        prop_assert_eq!(Rate::from_stored(&rate.to_string()), Some(rate));
        prop_assert_eq!(read::<Rate>(&json(&rate)), Ok(rate));
    }

    #[test]
    fn a_share_is_the_nearest_cent(parts in parts(), share in 1..=1_000_000_i64) {
        let discount = Money::from_parts(parts).percent(Money::from_parts(share));
        prop_assert_eq!(discount.parts() % 100, 0);
        // In units of 10^-10. The error is at most half a cent, and half a cent is rounded up.
        let exact = i128::from(parts) * i128::from(share);
        let over = i128::from(discount.parts()) * 1_000_000 - exact;
        prop_assert!(-50_000_000 < over && over <= 50_000_000, "{over}");
    }

    #[test]
    fn sums_are_exact(amounts in prop::collection::vec(parts(), 1..2000)) {
        let mut sum = Sum::default();
        let (mut whole, mut fraction) = (0, 0);
        let mut expected = 0_i128;
        for parts in amounts {
            sum += Sum::from_split(parts / Money::ONE, parts % Money::ONE);
            whole += parts / Money::ONE;
            fraction += parts % Money::ONE;
            expected += i128::from(parts);
        }
        prop_assert_eq!(sum, Sum(expected));
        prop_assert_eq!(Sum::from_split(whole, fraction), sum);
        prop_assert_eq!(decimal(&json(&sum), 4), Ok(expected));
    }
}
