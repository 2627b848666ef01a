use crate::report::Failure;

/// The unread rest of an answer. Reading past its end is `Failure::Protocol`.
#[derive(Clone, Copy)]
pub struct ByteReader<'a>(pub &'a [u8]);

impl<'a> ByteReader<'a> {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn take(&mut self, count: usize) -> Result<&'a [u8], Failure> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Failure::Protocol)?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn take_array<const N: usize>(&mut self) -> Result<[u8; N], Failure> {
        let (taken, rest) = self.0.split_first_chunk().ok_or(Failure::Protocol)?;
        self.0 = rest;
        Ok(*taken)
    }

    pub fn u8(&mut self) -> Result<u8, Failure> {
        Ok(self.take_array::<1>()?[0])
    }

    pub fn u16(&mut self) -> Result<u16, Failure> {
        self.take_array().map(u16::from_le_bytes)
    }

    pub fn u32(&mut self) -> Result<u32, Failure> {
        self.take_array().map(u32::from_le_bytes)
    }

    pub fn i32(&mut self) -> Result<i32, Failure> {
        self.take_array().map(i32::from_le_bytes)
    }

    pub fn f32(&mut self) -> Result<f32, Failure> {
        self.take_array().map(f32::from_le_bytes)
    }

    /// Returns the bytes before the next `end`, and skips `end` itself.
    pub fn take_until(&mut self, end: u8) -> Result<&'a [u8], Failure> {
        let at = self.0.iter().position(|byte| *byte == end);
        let text = self.take(at.ok_or(Failure::Protocol)?)?;
        self.take(1)?;
        Ok(text)
    }

    /// Skips `expected`, which must come next.
    pub fn expect(&mut self, expected: &[u8]) -> Result<(), Failure> {
        self.0 = self.0.strip_prefix(expected).ok_or(Failure::Protocol)?;
        Ok(())
    }
}
