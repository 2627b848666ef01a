use std::io::{ErrorKind, Read};

use crate::MAX_STATEMENT;
use crate::error::Problem;

const BUFFER: usize = 128 << 10;

/// The bytes of the dump, in a buffer. Counts lines, and limits the size of a statement.
pub struct Source<'a> {
    input: Box<dyn Read + Send + 'a>,
    buffer: Box<[u8]>,
    position: usize,
    end: usize,
    /// Bytes before the buffer.
    before: u64,
    /// Lines are counted up to this position in the buffer.
    counted: usize,
    line: u64,
    /// Where the statement begins.
    statement: Option<u64>,
}

impl<'a> Source<'a> {
    pub fn new(input: Box<dyn Read + Send + 'a>) -> Self {
        Self {
            input,
            buffer: vec![0; BUFFER].into_boxed_slice(),
            position: 0,
            end: 0,
            before: 0,
            counted: 0,
            line: 1,
            statement: None,
        }
    }

    /// The line of the next byte. Each byte is looked at once, however often this is called.
    pub fn line(&mut self) -> u64 {
        let new = &self.buffer[self.counted..self.position];
        self.line += memchr::memchr_iter(b'\n', new).count() as u64;
        self.counted = self.position;
        self.line
    }

    pub fn begin_statement(&mut self) {
        self.statement = Some(self.before + self.position as u64);
    }

    pub fn end_statement(&mut self) {
        self.statement = None;
    }

    /// The next byte, or `None` at the end of the dump.
    #[inline]
    pub fn peek(&mut self) -> Result<Option<u8>, Problem> {
        if self.position == self.end && !self.fill()? {
            return Ok(None);
        }
        Ok(Some(self.buffer[self.position]))
    }

    /// The bytes in the buffer: none at the end of the dump.
    #[inline]
    pub fn rest(&mut self) -> Result<&[u8], Problem> {
        if self.position == self.end {
            self.fill()?;
        }
        Ok(&self.buffer[self.position..self.end])
    }

    /// The next `count` bytes, or fewer at the end of the dump.
    pub fn ahead(&mut self, count: usize) -> Result<&[u8], Problem> {
        while self.end - self.position < count && self.fill()? {}
        let end = self.end.min(self.position + count);
        Ok(&self.buffer[self.position..end])
    }

    #[inline]
    pub fn starts_with(&mut self, text: &[u8]) -> Result<bool, Problem> {
        Ok(self.ahead(text.len())? == text)
    }

    /// Skips bytes that were returned.
    #[inline]
    pub fn advance(&mut self, count: usize) {
        self.position += count;
        debug_assert!(self.position <= self.end);
    }

    /// Adds to the bytes in the buffer. Returns false at the end of the dump.
    #[cold]
    fn fill(&mut self) -> Result<bool, Problem> {
        self.line();
        self.buffer.copy_within(self.position..self.end, 0);
        self.before += self.position as u64;
        self.end -= self.position;
        self.position = 0;
        self.counted = 0;
        if self
            .statement
            .is_some_and(|start| self.before - start > MAX_STATEMENT)
        {
            return Err(Problem::too_large(
                "statement",
                (MAX_STATEMENT >> 20) as usize,
                "MiB",
            ));
        }
        loop {
            match self.input.read(&mut self.buffer[self.end..]) {
                Ok(count) => {
                    self.end += count;
                    return Ok(count > 0);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(Problem::Read(error)),
            }
        }
    }
}
