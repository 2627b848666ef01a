//! White space and comments.

use super::Lexer;
use crate::error::Problem;

/// mysqldump nests them twice at most.
const MAX_CONDITIONAL: usize = 64;
const DUMP_COMPLETED: &[u8] = b"-- Dump completed";

impl Lexer<'_> {
    /// Skips what is between statements. Returns whether the comment at the end of a dump was there.
    pub fn skip_between_statements(&mut self) -> Result<bool, Problem> {
        let mut completed = false;
        loop {
            self.skip_blanks(true)?;
            if self.source.peek()? != Some(b'-') || !self.is_line_comment()? {
                break;
            }
            completed |= self.source.starts_with(DUMP_COMPLETED)?;
            self.skip_line()?;
        }
        if self.source.peek()?.is_none() && self.conditional > 0 {
            let line = self.source.line();
            return Err(Problem::Unterminated {
                what: "comment",
                line,
            });
        }
        Ok(completed)
    }

    /// Skips white space and comments. The content of conditional comments is not skipped.
    pub(super) fn skip_blanks(&mut self, stop_at_line_comment: bool) -> Result<(), Problem> {
        loop {
            let Some(byte) = self.source.peek()? else {
                return Ok(());
            };
            match byte {
                b' ' | b'\t'..=b'\r' => self.source.advance(1),
                b'#' | b'-' | b'/' | b'*' => {
                    let stops = stop_at_line_comment && byte == b'-';
                    if stops || self.is_at_delimiter()? || !self.skip_comment(byte)? {
                        return Ok(());
                    }
                }
                _ => return Ok(()),
            }
        }
    }

    /// Skips a comment, or one end of a conditional one. Returns false if there is none.
    pub(super) fn skip_comment(&mut self, first: u8) -> Result<bool, Problem> {
        match first {
            b'#' => self.skip_line()?,
            b'-' if self.is_line_comment()? => self.skip_line()?,
            b'/' if self.source.starts_with(b"/*")? => self.open_comment()?,
            b'*' if self.conditional > 0 && self.source.starts_with(b"*/")? => {
                self.conditional -= 1;
                self.source.advance(2);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn is_line_comment(&mut self) -> Result<bool, Problem> {
        Ok(match self.source.ahead(3)? {
            [b'-', b'-', after] => after.is_ascii_whitespace() || after.is_ascii_control(),
            ahead => ahead == b"--",
        })
    }

    fn skip_line(&mut self) -> Result<(), Problem> {
        loop {
            let rest = self.source.rest()?;
            match (memchr::memchr(b'\n', rest), rest.len()) {
                (_, 0) => return Ok(()),
                (Some(index), _) => {
                    self.source.advance(index + 1);
                    return Ok(());
                }
                (None, length) => self.source.advance(length),
            }
        }
    }

    /// Skips a comment, or the opening of a conditional one: `/*!`, `/*M!`, and a version.
    fn open_comment(&mut self) -> Result<(), Problem> {
        let line = self.source.line();
        let ahead = self.source.ahead(10)?;
        let mark = match ahead {
            [_, _, b'!', ..] => 3,
            [_, _, b'M', b'!', ..] => 4,
            _ => 0,
        };
        let version = &ahead[mark..];
        let digits = version
            .iter()
            .take(6)
            .take_while(|byte| byte.is_ascii_digit());
        let digits = match digits.count() {
            count @ 5.. => count,
            // Fewer digits are part of the content.
            _ => 0,
        };
        // No server has this version. Such a comment is for the client, as in the first line of a
        // dump of MariaDB.
        let is_executed = digits == 0 || version[..digits].iter().any(|digit| *digit != b'9');
        if mark > 0 && is_executed {
            self.source.advance(mark + digits);
            if self.conditional == MAX_CONDITIONAL {
                let what = "nest of conditional comments";
                return Err(Problem::too_large(what, MAX_CONDITIONAL, "levels"));
            }
            self.conditional += 1;
            return Ok(());
        }
        self.source.advance(2);
        loop {
            let rest = self.source.rest()?;
            if rest.is_empty() {
                return Err(Problem::Unterminated {
                    what: "comment",
                    line,
                });
            }
            let star = memchr::memchr(b'*', rest);
            let length = star.unwrap_or(rest.len());
            self.source.advance(length);
            if star.is_some() {
                let ends = self.source.starts_with(b"*/")?;
                self.source.advance(if ends { 2 } else { 1 });
                if ends {
                    return Ok(());
                }
            }
        }
    }
}
