//! JSON strings.

/// The number of bytes examined at a time.
const WORD: usize = size_of::<u64>();
const ONES: u64 = u64::MAX / 255;
const HIGHS: u64 = ONES << 7;

/// Appends a string in quotes.
pub fn push_text(json: &mut Vec<u8>, text: &str) {
    json.reserve(text.len() + 2);
    json.push(b'"');
    let mut rest = text.as_bytes();
    while let Some(at) = find_special(rest) {
        let (plain, special) = rest.split_at(at);
        json.extend_from_slice(plain);
        push_escape(json, special[0]);
        rest = &special[1..];
    }
    json.extend_from_slice(rest);
    json.push(b'"');
}

/// Appends a field name and its colon. Names come from the source and need no escapes.
pub fn push_name(json: &mut Vec<u8>, name: &'static str) {
    debug_assert_eq!(find_special(name.as_bytes()), None, "{name}");
    json.reserve(name.len() + 3);
    json.push(b'"');
    json.extend_from_slice(name.as_bytes());
    json.extend_from_slice(b"\":");
}

/// The first byte that JSON escapes: a quote, a backslash or a control character.
fn find_special(bytes: &[u8]) -> Option<usize> {
    let (words, _) = bytes.as_chunks::<WORD>();
    let first = words
        .iter()
        .position(|word| has_special(u64::from_ne_bytes(*word)));
    if first.is_none() && !has_special(last_word(bytes)) {
        return None;
    }
    let start = first.unwrap_or(words.len()) * WORD;
    let is_special = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
    let at = bytes[start..].iter().position(is_special)?;
    Some(start + at)
}

/// The last eight bytes, padded with leading spaces.
fn last_word(bytes: &[u8]) -> u64 {
    match bytes.last_chunk::<WORD>() {
        Some(last) => u64::from_ne_bytes(*last),
        None => bytes.iter().fold(ONES * u64::from(b' '), |word, byte| {
            (word << 8) | u64::from(*byte)
        }),
    }
}

/// Whether one of the eight bytes must be escaped. The computation sets the high bit of each such
/// byte, and perhaps of the next one. Bytes of non-ASCII characters have it set and are masked out.
fn has_special(word: u64) -> bool {
    let below = |word: u64, limit: u8| word.wrapping_sub(ONES * u64::from(limit)) & !word;
    let equals = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, 0x20) | equals(b'"') | equals(b'\\')) & HIGHS != 0
}

fn push_escape(json: &mut Vec<u8>, byte: u8) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0c => b'f',
        b'\r' => b'r',
        _ => {
            json.extend_from_slice(b"\\u00");
            json.push(HEX[usize::from(byte >> 4)]);
            json.push(HEX[usize::from(byte & 15)]);
            return;
        }
    };
    json.extend_from_slice(&[b'\\', short]);
}
