mod comments;

use std::io::Read;

use crate::error::Problem;
use crate::literal::{decode_bits, decode_hexadecimal};
use crate::source::Source;
use crate::{MAX_NAME, MAX_VALUE};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token {
    /// A keyword or a name without quotes.
    Word,
    /// A name in quotes.
    Quoted,
    Text,
    Integer,
    Decimal,
    Bytes,
    Symbol(u8),
    /// The delimiter after a statement.
    Delimiter,
    EndOfFile,
}

/// The meaning of quotes under the current `sql_mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Mode {
    pub no_backslash_escapes: bool,
    pub ansi_quotes: bool,
}

/// The bytes that a delimiter may have.
const DELIMITERS: &[u8] = b";$/|&!%^~:@?";
/// Hexadecimal digits of the largest value.
const MAX_DIGITS: usize = 2 * MAX_VALUE;
const NAME: (&str, usize) = ("name", MAX_NAME);
/// A `DOUBLE(255,30)` has 257 characters.
const NUMBER: (&str, usize) = ("number", 1024);

pub struct Lexer<'a> {
    pub source: Source<'a>,
    /// The texts of the tokens since the last `clear`.
    pub text: Vec<u8>,
    pub mode: Mode,
    delimiter: Vec<u8>,
    /// Which bytes `skip_statement` must look at.
    stops: [bool; 256],
    /// Conditional comments that are open. Their content is executed.
    conditional: usize,
}

impl<'a> Lexer<'a> {
    pub fn new(input: Box<dyn Read + Send + 'a>) -> Self {
        let mut lexer = Self {
            source: Source::new(input),
            text: Vec::new(),
            mode: Mode::default(),
            delimiter: Vec::new(),
            stops: [false; 256],
            conditional: 0,
        };
        lexer.set_delimiter(b";".to_vec());
        lexer
    }

    fn set_delimiter(&mut self, delimiter: Vec<u8>) {
        self.stops = [false; 256];
        for byte in b"'\"`#-/*".iter().chain(delimiter.first()) {
            self.stops[usize::from(*byte)] = true;
        }
        self.delimiter = delimiter;
    }

    pub fn has_default_delimiter(&self) -> bool {
        self.delimiter == b";"
    }

    /// Reads the rest of the line of the command `DELIMITER`.
    pub fn read_delimiter(&mut self) -> Result<(), Problem> {
        let mut line = Vec::new();
        while let Some(byte) = self.source.peek()?.filter(|byte| *byte != b'\n') {
            if line.len() == MAX_NAME {
                return Err(Problem::too_large("delimiter", MAX_NAME, "bytes"));
            }
            line.push(byte);
            self.source.advance(1);
        }
        match line.trim_ascii() {
            [] => Err(Problem::Expected("a delimiter")),
            // Others could begin within a number or a string.
            delimiter if !delimiter.iter().all(|byte| DELIMITERS.contains(byte)) => {
                Err(Problem::Expected("a delimiter such as ;; or $$"))
            }
            delimiter => {
                self.set_delimiter(delimiter.to_vec());
                Ok(())
            }
        }
    }

    fn is_at_delimiter(&mut self) -> Result<bool, Problem> {
        let first = self.delimiter[0];
        Ok(self.source.peek()? == Some(first)
            && (self.delimiter.len() == 1 || self.source.starts_with(&self.delimiter)?))
    }

    /// Skips the rest of a statement, and its delimiter.
    pub fn skip_statement(&mut self) -> Result<(), Problem> {
        let line = self.source.line();
        loop {
            let rest = self.source.rest()?;
            if rest.is_empty() {
                return Err(Problem::Unterminated {
                    what: "statement",
                    line,
                });
            }
            let stops = &self.stops;
            let Some(stop) = rest.iter().position(|byte| stops[usize::from(*byte)]) else {
                let length = rest.len();
                self.source.advance(length);
                continue;
            };
            let byte = rest[stop];
            self.source.advance(stop);
            if self.is_at_delimiter()? {
                self.source.advance(self.delimiter.len());
                return Ok(());
            }
            match byte {
                b'\'' | b'"' | b'`' => self.quoted(byte, None)?,
                _ if self.skip_comment(byte)? => {}
                _ => self.source.advance(1),
            }
        }
    }

    pub fn clear(&mut self) {
        self.text.clear();
    }

    /// Reads a token into an empty `text`.
    pub fn next(&mut self) -> Result<Token, Problem> {
        self.clear();
        self.token()
    }

    /// Reads a token, and appends its text.
    pub fn token(&mut self) -> Result<Token, Problem> {
        self.skip_blanks(false)?;
        if self.is_at_delimiter()? {
            self.source.advance(self.delimiter.len());
            return Ok(Token::Delimiter);
        }
        let Some(byte) = self.source.peek()? else {
            return Ok(Token::EndOfFile);
        };
        match byte {
            b'\'' => self.text_literal(byte),
            b'"' if !self.mode.ansi_quotes => self.text_literal(byte),
            b'`' | b'"' => {
                self.quoted(byte, Some(MAX_NAME))?;
                Ok(Token::Quoted)
            }
            b'0'..=b'9' | b'.' => self.number(byte),
            _ if is_word(byte) => self.word(byte),
            _ => {
                self.source.advance(1);
                Ok(Token::Symbol(byte))
            }
        }
    }

    /// Skips the point between the names of a database and a table, if it is there.
    pub fn skip_point(&mut self) -> Result<bool, Problem> {
        self.skip_blanks(false)?;
        let is_point = self.source.peek()? == Some(b'.');
        self.source.advance(usize::from(is_point));
        Ok(is_point)
    }

    fn text_literal(&mut self, quote: u8) -> Result<Token, Problem> {
        self.quoted(quote, Some(MAX_VALUE))?;
        Ok(Token::Text)
    }

    /// Reads what is in quotes. Appends it if there is a limit, else skips it.
    fn quoted(&mut self, quote: u8, limit: Option<usize>) -> Result<(), Problem> {
        let line = self.source.line();
        let what = if limit == Some(MAX_NAME) {
            "name"
        } else {
            "string"
        };
        let is_text = quote == b'\'' || (quote == b'"' && !self.mode.ansi_quotes);
        let has_escapes = is_text && !self.mode.no_backslash_escapes;
        let start = self.text.len();
        self.source.advance(1);
        loop {
            let rest = self.source.rest()?;
            if rest.is_empty() {
                return Err(Problem::Unterminated { what, line });
            }
            let stop = match has_escapes {
                true => memchr::memchr2(quote, b'\\', rest),
                false => memchr::memchr(quote, rest),
            };
            let length = stop.unwrap_or(rest.len());
            let escapes = stop.is_some_and(|stop| rest[stop] != quote);
            if let Some(limit) = limit {
                let free = limit.saturating_sub(self.text.len() - start);
                if self.text.len() - start + length > limit {
                    // The error names the line of the first byte that is too much, however many
                    // were read at once.
                    self.source.advance(free);
                    return Err(too_large(what, limit));
                }
                self.text.extend_from_slice(&rest[..length]);
            }
            self.source.advance(length);
            if stop.is_none() {
                continue;
            }
            self.source.advance(1);
            let next = self.source.peek()?;
            if escapes {
                let Some(escaped) = next else {
                    continue;
                };
                if limit.is_some() {
                    match unescape(escaped) {
                        Some(byte) => self.text.push(byte),
                        None => self.text.extend([b'\\', escaped]),
                    }
                }
            } else if next == Some(quote) {
                self.text.extend(limit.map(|_| quote));
            } else {
                return Ok(());
            }
            self.source.advance(1);
        }
    }

    /// Appends the next byte.
    fn append(&mut self) -> Result<(), Problem> {
        self.text.extend(self.source.peek()?);
        self.source.advance(1);
        Ok(())
    }

    /// Appends the following bytes of a kind. `limit` is that of what begins at `start`.
    fn append_while(
        &mut self,
        start: usize,
        (what, limit): (&'static str, usize),
        is: impl Fn(u8) -> bool,
    ) -> Result<(), Problem> {
        loop {
            let rest = self.source.rest()?;
            let stop = rest.iter().position(|byte| !is(*byte));
            let length = stop.unwrap_or(rest.len());
            if self.text.len() - start + length > limit {
                return Err(too_large(what, limit));
            }
            self.text.extend_from_slice(&rest[..length]);
            let ends = stop.is_some() || rest.is_empty();
            self.source.advance(length);
            if ends {
                return Ok(());
            }
        }
    }

    fn word(&mut self, first: u8) -> Result<Token, Problem> {
        let start = self.text.len();
        if let (b'x' | b'X' | b'b' | b'B', [_, b'\'']) = (first, self.source.ahead(2)?) {
            self.source.advance(1);
            self.quoted(b'\'', Some(MAX_DIGITS))?;
            return match first {
                b'x' | b'X' => decode_hexadecimal(&mut self.text, start, true),
                _ => decode_bits(&mut self.text, start, true),
            };
        }
        if self.has_default_delimiter() {
            self.append_while(start, NAME, is_word)?;
            return Ok(Token::Word);
        }
        // A delimiter may consist of bytes of a word, such as $, and then ends it.
        while self.source.peek()?.is_some_and(is_word) && !self.is_at_delimiter()? {
            self.append()?;
            if self.text.len() - start > MAX_NAME {
                return Err(too_large("name", MAX_NAME));
            }
        }
        Ok(Token::Word)
    }

    fn number(&mut self, first: u8) -> Result<Token, Problem> {
        let start = self.text.len();
        let ahead = self.source.ahead(2)?;
        if let [b'0', kind @ (b'x' | b'b')] = *ahead {
            self.source.advance(2);
            let digits = ("value", MAX_DIGITS);
            self.append_while(start, digits, |byte| byte.is_ascii_hexdigit())?;
            return match kind {
                b'x' => decode_hexadecimal(&mut self.text, start, false),
                _ => decode_bits(&mut self.text, start, false),
            };
        }
        if first == b'.' && !ahead.get(1).is_some_and(u8::is_ascii_digit) {
            self.source.advance(1);
            return Ok(Token::Symbol(first));
        }
        let is_digit = |byte: u8| byte.is_ascii_digit();
        let mut token = Token::Integer;
        self.append_while(start, NUMBER, is_digit)?;
        if self.source.peek()? == Some(b'.') {
            token = Token::Decimal;
            self.append()?;
            self.append_while(start, NUMBER, is_digit)?;
        }
        // Most numbers have no exponent.
        if !matches!(self.source.peek()?, Some(b'e' | b'E')) {
            return Ok(token);
        }
        match self.source.ahead(3)? {
            [_, b'0'..=b'9', ..] => {}
            [_, b'+' | b'-', b'0'..=b'9'] => self.append()?,
            _ => return Ok(token),
        }
        self.append()?;
        self.append_while(start, NUMBER, is_digit)?;
        Ok(Token::Decimal)
    }

    pub fn is(&self, token: Token, word: &str) -> bool {
        token == Token::Word && self.text.eq_ignore_ascii_case(word.as_bytes())
    }
}

fn too_large(what: &'static str, limit: usize) -> Problem {
    match limit {
        MAX_VALUE | MAX_DIGITS => Problem::too_large(what, MAX_VALUE >> 20, "MiB"),
        bytes => Problem::too_large(what, bytes, "bytes"),
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@' | 0x80..)
}

/// The byte of an escape sequence, or `None` if the backslash stays.
fn unescape(escaped: u8) -> Option<u8> {
    Some(match escaped {
        b'0' => 0,
        b'b' => 8,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'Z' => 0x1a,
        b'%' | b'_' => return None,
        other => other,
    })
}
