//! The only source of randomness: the operating system.

/// Digits of base 62, for keys and tokens.
pub const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Generates random bytes that are fit for secrets.
#[expect(
    clippy::disallowed_methods,
    reason = "the only place that asks the system"
)]
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // Without randomness no secret is safe, so the program must not continue.
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    bytes
}

/// Generates `count` random [`DIGITS`], each equally likely.
pub fn digits(count: usize) -> String {
    let mut digits = String::with_capacity(count);
    while digits.len() < count {
        // Skip bytes that would make some digits more likely than others.
        let bytes = bytes::<64>();
        let unbiased = bytes.iter().filter(|byte| **byte < 62 * 4);
        let missing = count - digits.len();
        digits.extend(
            unbiased
                .take(missing)
                .map(|byte| DIGITS[*byte as usize % 62] as char),
        );
    }
    digits
}
