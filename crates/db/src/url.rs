use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use crate::{Error, PostgresAddress};

/// The address of the database: `sqlite:PATH` or `postgres://USER:PASSWORD@HOST:PORT/NAME`.
///
/// Neither `Display` nor `Debug` shows the password.
#[derive(Clone)]
pub enum DatabaseUrl {
    Sqlite(PathBuf),
    Postgres(Box<PostgresAddress>),
}

impl FromStr for DatabaseUrl {
    type Err = Error;

    fn from_str(url: &str) -> Result<Self, Error> {
        if let Some(path) = url.strip_prefix("sqlite:") {
            if path.is_empty() || path.contains('\0') {
                return Err(Error::Url("no path after sqlite: in the database address; it looks like sqlite:./data/steward.db".into()));
            }
            return Ok(Self::Sqlite(PathBuf::from(path)));
        }
        if url.starts_with("postgres://") || url.starts_with("postgresql://") {
            return Ok(Self::Postgres(Box::new(url.parse()?)));
        }
        Err(Error::Url(
            "unknown kind of database; an address starts with sqlite: or postgres://".into(),
        ))
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{}", path.display()),
            Self::Postgres(address) => address.fmt(f),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str) -> String {
        url.parse::<DatabaseUrl>().expect("valid").to_string()
    }

    #[test]
    fn the_password_is_never_shown() {
        let shown = shown("postgres://steward:hunter2@db.example:5433/community");
        assert_eq!(shown, "postgres://steward@db.example:5433/community");
    }

    #[test]
    fn a_path_is_shown_unchanged() {
        assert_eq!(
            shown("sqlite:./data/steward.db"),
            "sqlite:./data/steward.db"
        );
    }

    #[test]
    fn an_invalid_address_is_refused_without_repeating_it() {
        for url in [
            "mysql://u:hunter2@h/d",
            "sqlite:",
            "postgres://u:hunter2@h:port/d",
        ] {
            let error = url.parse::<DatabaseUrl>().expect_err(url).to_string();
            assert!(!error.contains("hunter2"), "{error}");
        }
    }
}
