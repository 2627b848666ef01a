/// Why nothing is known of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It was asked, and this came of it.
    Asked(game_query::Failure),
    /// The operator does not want this address to be asked.
    Forbidden,
    /// The server, or asking altogether, is switched off.
    Disabled,
}

impl Failure {
    const ALL: [Self; 5] = [
        Self::Asked(game_query::Failure::Timeout),
        Self::Asked(game_query::Failure::Refused),
        Self::Asked(game_query::Failure::Protocol),
        Self::Forbidden,
        Self::Disabled,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Asked(game_query::Failure::Timeout) => "timeout",
            Self::Asked(game_query::Failure::Refused) => "refused",
            Self::Asked(game_query::Failure::Protocol) => "protocol",
            Self::Forbidden => "forbidden",
            Self::Disabled => "disabled",
        }
    }

    pub fn from_stored(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::Failure;

    #[test]
    fn words_are_found_again() {
        for failure in Failure::ALL {
            assert_eq!(Failure::from_stored(failure.as_str()), Some(failure));
        }
        assert_eq!(Failure::from_stored("tired"), None);
    }
}
