//! The one source of randomness: the operating system's.

/// Bytes that nobody can guess.
#[allow(clippy::disallowed_methods)]
pub fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    // Without randomness no secret is safe, so there is no way to go on.
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    bytes
}
