//! Reasons why a server has no live status.

/// The reason in the field `error` of a live status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The query failed.
    Query(game_query::Failure),
    /// The operator's networks do not include the server's address.
    Forbidden,
    /// The server is disabled, or queries are disabled on this instance.
    Disabled,
}

impl Failure {
    const ALL: [Self; 5] = [
        Self::Query(game_query::Failure::Timeout),
        Self::Query(game_query::Failure::Refused),
        Self::Query(game_query::Failure::Protocol),
        Self::Forbidden,
        Self::Disabled,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Query(game_query::Failure::Timeout) => "timeout",
            Self::Query(game_query::Failure::Refused) => "refused",
            Self::Query(game_query::Failure::Protocol) => "protocol",
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
    fn every_failure_is_read_back_from_its_stored_word() {
        for failure in Failure::ALL {
            assert_eq!(Failure::from_stored(failure.as_str()), Some(failure));
        }
        assert_eq!(Failure::from_stored("tired"), None);
    }
}
