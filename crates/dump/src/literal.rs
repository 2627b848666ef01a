use crate::error::Problem;
use crate::lexer::Token;

/// Replaces the digits from `start` on by their bytes. Digits in quotes may be none, and without
/// quotes an odd number.
pub fn decode_hexadecimal(
    text: &mut Vec<u8>,
    start: usize,
    in_quotes: bool,
) -> Result<Token, Problem> {
    decode(text, start, in_quotes, 16)
}

pub fn decode_bits(text: &mut Vec<u8>, start: usize, in_quotes: bool) -> Result<Token, Problem> {
    decode(text, start, in_quotes, 2)
}

fn decode(text: &mut Vec<u8>, start: usize, in_quotes: bool, radix: u32) -> Result<Token, Problem> {
    let digits_a_byte = if radix == 2 { 8 } else { 2 };
    let digits = text.len() - start;
    let is_odd = radix == 16 && digits % 2 == 1;
    if if in_quotes { is_odd } else { digits == 0 } {
        return Err(Problem::MalformedBytes);
    }
    // In place: a byte is written where its digits were read before. The first byte may have fewer.
    let mut read = start;
    let mut write = start;
    while read < text.len() {
        let left = text.len() - read;
        let count = match left % digits_a_byte {
            0 => digits_a_byte,
            odd => odd,
        };
        let mut byte = 0;
        for digit in &text[read..read + count] {
            let digit = char::from(*digit).to_digit(radix);
            byte = byte * radix + digit.ok_or(Problem::MalformedBytes)?;
        }
        text[write] = byte as u8;
        read += count;
        write += 1;
    }
    text.truncate(write);
    Ok(Token::Bytes)
}
