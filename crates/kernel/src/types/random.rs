//! The one source of randomness: the operating system's.

/// The digits that values for programs are written in.
pub const DIGITS: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Bytes that nobody can guess.
#[allow(clippy::disallowed_methods)]
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // Without randomness no secret is safe, so there is no way to go on.
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    bytes
}

/// As many of the [`DIGITS`], all equally likely.
pub fn digits(count: usize) -> String {
    let mut digits = String::with_capacity(count);
    while digits.len() < count {
        // Bytes that would make some digits likelier than others are left out.
        let bytes = bytes::<64>();
        let fair = bytes.iter().filter(|byte| **byte < 62 * 4);
        let missing = count - digits.len();
        digits.extend(
            fair.take(missing)
                .map(|byte| DIGITS[*byte as usize % 62] as char),
        );
    }
    digits
}
