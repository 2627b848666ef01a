use crate::MAX_VALUE;
use crate::error::Problem;
use crate::lexer::{Lexer, Mode, Token};

/// Tokens of one assignment that are looked at. Those of interest are shorter.
const MAX_TOKENS: usize = 8;
/// Modes that include `ANSI_QUOTES`.
const ANSI_MODES: [&str; 7] = [
    "ANSI",
    "ANSI_QUOTES",
    "DB2",
    "MAXDB",
    "MSSQL",
    "ORACLE",
    "POSTGRESQL",
];
const SAVED_MODES: usize = 16;

/// The settings that `SET` statements have made.
#[derive(Default)]
pub struct Settings {
    pub time_zone: Option<String>,
    /// The character set of the text, if `SET character_set_client` says that it is not UTF-8.
    /// mysqldump does so around triggers, and then restores it.
    pub other_charset: Option<String>,
    /// Variables that hold an earlier `sql_mode`.
    saved_modes: Vec<(String, Mode)>,
}

type Assignment = Vec<(Token, String)>;

impl Settings {
    /// Reads the rest of a `SET` statement.
    pub fn read(&mut self, lexer: &mut Lexer) -> Result<(), Problem> {
        let line = lexer.source.line();
        let mut depth = 0_u64;
        let mut length = 0;
        let mut assignment = Assignment::new();
        // Another mode is for the next statement: in this one, it could misread its own end.
        let mut mode = lexer.mode;
        loop {
            let token = lexer.next()?;
            match token {
                Token::EndOfFile => {
                    return Err(Problem::Unterminated {
                        what: "statement",
                        line,
                    });
                }
                Token::Delimiter => break,
                Token::Symbol(b',') if depth == 0 => {
                    self.assign(&assignment, &mut mode)?;
                    assignment.clear();
                    length = 0;
                    continue;
                }
                Token::Symbol(b'(') => depth += 1,
                Token::Symbol(b')') => depth = depth.saturating_sub(1),
                _ => {}
            }
            length += lexer.text.len();
            if assignment.len() < MAX_TOKENS && length <= MAX_VALUE {
                let text = match token {
                    Token::Symbol(symbol) => char::from(symbol).to_string(),
                    _ => String::from_utf8_lossy(&lexer.text).into_owned(),
                };
                assignment.push((token, text));
            }
        }
        self.assign(&assignment, &mut mode)?;
        lexer.mode = mode;
        Ok(())
    }

    fn assign(&mut self, assignment: &Assignment, mode: &mut Mode) -> Result<(), Problem> {
        let mut parts = assignment.as_slice();
        if let [(Token::Word, scope), rest @ ..] = parts {
            match scope.to_ascii_lowercase().as_str() {
                // Not a setting of this session.
                "global" | "persist" | "persist_only" | "@@global" => return Ok(()),
                "session" | "local" => parts = rest,
                "@@session" | "@@local" => parts = rest.get(1..).unwrap_or_default(),
                _ => {}
            }
        }
        let [(_, name), value @ ..] = parts else {
            return Ok(());
        };
        let name = name.to_ascii_lowercase();
        let value = match value {
            [
                (Token::Symbol(b':'), _),
                (Token::Symbol(b'='), _),
                value @ ..,
            ]
            | [(Token::Symbol(b'='), _), value @ ..] => value,
            value => value,
        };
        match (name.strip_prefix("@@").unwrap_or(&name), value) {
            ("names" | "charset", value) => self.set_names(value),
            ("character", [(_, set), value @ ..]) if set.eq_ignore_ascii_case("set") => {
                self.set_names(value)
            }
            ("character_set_client", value) => {
                self.other_charset = charset(value).filter(|name| !is_utf8(name));
                Ok(())
            }
            ("time_zone", value) => {
                self.time_zone = match plain(value) {
                    Some(zone) => Some(zone.to_owned()),
                    None if is_variable(value) => None,
                    None => return Err(Problem::Setting("time_zone")),
                };
                Ok(())
            }
            ("sql_mode", value) => {
                *mode = self.mode(value)?;
                Ok(())
            }
            (name, [(Token::Word, mode_name), rest @ ..]) if name.starts_with('@') => {
                let last = rest.last().map_or(mode_name, |(_, last)| last);
                let last = last.to_ascii_lowercase();
                if matches!(last.as_str(), "@@sql_mode" | "sql_mode") {
                    self.saved_modes.retain(|(saved, _)| saved != name);
                    if self.saved_modes.len() < SAVED_MODES {
                        self.saved_modes.push((name.to_owned(), *mode));
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn set_names(&mut self, value: &[(Token, String)]) -> Result<(), Problem> {
        let name = match value {
            [first, ..] => plain(std::slice::from_ref(first)),
            [] => None,
        };
        let name = name.ok_or(Problem::Setting("NAMES"))?;
        if !is_utf8(name) {
            return Err(Problem::Charset(name.to_owned()));
        }
        self.other_charset = None;
        Ok(())
    }

    fn mode(&self, value: &[(Token, String)]) -> Result<Mode, Problem> {
        if is_variable(value) {
            let name = value[0].1.to_ascii_lowercase();
            let saved = self.saved_modes.iter().find(|(saved, _)| *saved == name);
            return Ok(saved.map(|(_, mode)| *mode).unwrap_or_default());
        }
        let modes = match value {
            [(Token::Integer, zero)] if zero == "0" => "",
            _ => plain(value).ok_or(Problem::Setting("sql_mode"))?,
        };
        let has = |wanted: &str| {
            let mut modes = modes.split(',');
            modes.any(|mode| mode.trim().eq_ignore_ascii_case(wanted))
        };
        Ok(Mode {
            no_backslash_escapes: has("NO_BACKSLASH_ESCAPES"),
            ansi_quotes: ANSI_MODES.iter().any(|mode| has(mode)),
        })
    }
}

/// A value that is written as it is: a text or a word.
fn plain(value: &[(Token, String)]) -> Option<&str> {
    match value {
        [(Token::Text | Token::Quoted, text)] => Some(text),
        [(Token::Word, text)] if !text.starts_with('@') => Some(text),
        _ => None,
    }
}

fn is_variable(value: &[(Token, String)]) -> bool {
    matches!(value, [(Token::Word, name), ..] if name.starts_with('@'))
}

/// The character set of an assignment, if it is not an earlier one from a variable.
fn charset(value: &[(Token, String)]) -> Option<String> {
    match value {
        value if is_variable(value) => None,
        value => Some(plain(value).unwrap_or("?").to_owned()),
    }
}

fn is_utf8(charset: &str) -> bool {
    let names = ["utf8", "utf8mb3", "utf8mb4"];
    names.iter().any(|name| charset.eq_ignore_ascii_case(name))
}
