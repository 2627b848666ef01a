//! TOTP codes (RFC 6238): SHA-1, six digits, 30 seconds, one step of drift.

use hmac::{Hmac, KeyInit, Mac};
use sha1::Sha1;

use kernel::types::Timestamp;

const STEP: i64 = 30;
const DRIFT: i64 = 1;
pub const DIGITS: usize = 6;

/// The time step of a valid code. It must be after `last`, so that each code works once.
pub fn matching_step(secret: &[u8], code: u32, now: Timestamp, last: i64) -> Option<i64> {
    let current = now.unix().div_euclid(STEP);
    let mut steps = (current - DRIFT..=current + DRIFT).filter(|step| *step > last);
    steps.find(|step| code_at(secret, *step) == code)
}

fn code_at(secret: &[u8], step: i64) -> u32 {
    let mut mac = Hmac::<Sha1>::new_from_slice(secret).expect("HMAC takes a key of any length");
    mac.update(&step.to_be_bytes());
    let hash: [u8; 20] = mac.finalize().into_bytes().into();
    let offset = usize::from(hash[19] & 0xf);
    let word = [offset, offset + 1, offset + 2, offset + 3].map(|i| hash[i]);
    (u32::from_be_bytes(word) & 0x7fff_ffff) % 10_u32.pow(DIGITS as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The test vectors of RFC 6238, appendix B, with eight digits.
    const KNOWN: [(i64, u32); 6] = [
        (59, 94_287_082),
        (1_111_111_109, 7_081_804),
        (1_111_111_111, 14_050_471),
        (1_234_567_890, 89_005_924),
        (2_000_000_000, 69_279_037),
        (20_000_000_000, 65_353_130),
    ];
    const SECRET: &[u8] = b"12345678901234567890";

    #[test]
    fn codes_are_those_of_rfc_6238() {
        for (time, code) in KNOWN {
            let code = code % 1_000_000;
            let now = Timestamp::from_unix(time);
            assert_eq!(code_at(SECRET, time / 30), code, "{time}");
            assert_eq!(
                matching_step(SECRET, code, now, 0),
                Some(time / 30),
                "{time}"
            );
        }
    }

    #[test]
    fn a_code_is_valid_one_step_early_or_late_and_not_after_its_use() {
        let (time, code) = (1_111_111_111, 50_471);
        let step = time / 30;
        let at = |offset: i64, last| {
            matching_step(SECRET, code, Timestamp::from_unix(time + offset * 30), last)
        };
        assert_eq!(at(-2, 0), None);
        assert_eq!(at(-1, 0), Some(step));
        assert_eq!(at(1, 0), Some(step));
        assert_eq!(at(2, 0), None);
        assert_eq!(at(0, step), None);
        assert_eq!(at(0, step - 1), Some(step));
    }
}
