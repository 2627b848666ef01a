/// How many items a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Total {
    Exactly(i64),
    /// They were not counted further.
    AtLeast(i64),
}

impl Total {
    pub fn number(self) -> i64 {
        match self {
            Self::Exactly(number) | Self::AtLeast(number) => number,
        }
    }
}
