use crate::error::Problem;
use crate::lexer::{Lexer, Token};
use crate::{MAX_COLUMNS, MAX_VALUE};

/// A table, as its `CREATE TABLE` says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    pub columns: Vec<Column>,
}

impl Table {
    /// The column of a name, in any case.
    pub fn column(&self, name: &str) -> Option<&Column> {
        let mut columns = self.columns.iter();
        columns.find(|column| column.name.eq_ignore_ascii_case(name))
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    pub name: String,
    /// The declared type, such as `int(10) unsigned`. Words are in lower case.
    pub kind: String,
    pub nullable: bool,
}

impl Column {
    /// Memory that the definition takes.
    pub fn size(&self) -> usize {
        size_of::<Self>() + self.name.len() + self.kind.len()
    }
}

/// Reads a list of columns and keys, up to its closing parenthesis.
pub fn read_columns(lexer: &mut Lexer) -> Result<Vec<Column>, Problem> {
    if lexer.next()? != Token::Symbol(b'(') {
        return Err(Problem::NoColumns);
    }
    let mut columns = Vec::new();
    loop {
        let token = lexer.next()?;
        let is_column = match token {
            Token::Quoted => true,
            Token::Word => !is_key(lexer),
            _ => return Err(Problem::Expected("a column")),
        };
        let mut column = Column {
            name: name(lexer),
            nullable: true,
            ..Column::default()
        };
        let ends = read_definition(lexer, &mut column)?;
        if is_column {
            if columns.len() == MAX_COLUMNS {
                return Err(Problem::too_large("table", MAX_COLUMNS, "columns"));
            }
            columns.push(column);
        }
        if ends {
            return Ok(columns);
        }
    }
}

/// Whether the word begins a key or a check. A column of such a name needs quotes.
fn is_key(lexer: &Lexer) -> bool {
    let words = [
        "PRIMARY",
        "UNIQUE",
        "KEY",
        "INDEX",
        "FULLTEXT",
        "SPATIAL",
        "CONSTRAINT",
        "FOREIGN",
        "CHECK",
        "PERIOD",
    ];
    words.iter().any(|word| lexer.is(Token::Word, word))
}

pub fn name(lexer: &Lexer) -> String {
    String::from_utf8_lossy(&lexer.text).into_owned()
}

/// Reads what comes after a name. Returns whether the list ends.
fn read_definition(lexer: &mut Lexer, column: &mut Column) -> Result<bool, Problem> {
    let mut depth = 0_u64;
    // The type is the first word, what it has in parentheses, and some words after it.
    let mut is_type = true;
    let mut previous_is_not = false;
    loop {
        let token = lexer.next()?;
        match token {
            Token::Symbol(b',') if depth == 0 => return Ok(false),
            Token::Symbol(b')') if depth == 0 => return Ok(true),
            Token::Symbol(b'(') => depth += 1,
            Token::Symbol(b')') => depth -= 1,
            Token::Delimiter | Token::EndOfFile => {
                return Err(Problem::Expected("the end of the list of columns"));
            }
            _ => {}
        }
        let is_null = depth == 0 && lexer.is(token, "NULL") && previous_is_not;
        previous_is_not = lexer.is(token, "NOT");
        if is_null || (depth == 0 && lexer.is(token, "PRIMARY")) {
            column.nullable = false;
        }
        let is_outside = depth == 0 && token == Token::Word;
        is_type &= !is_outside || column.kind.is_empty() || is_type_word(lexer);
        if is_type {
            append_type(lexer, token, is_outside, &mut column.kind);
            if column.kind.len() > MAX_VALUE {
                return Err(Problem::too_large("type", MAX_VALUE >> 20, "MiB"));
            }
        }
    }
}

fn is_type_word(lexer: &Lexer) -> bool {
    let words = ["UNSIGNED", "SIGNED", "ZEROFILL", "PRECISION", "VARYING"];
    words.iter().any(|word| lexer.is(Token::Word, word))
}

fn append_type(lexer: &Lexer, token: Token, is_outside: bool, kind: &mut String) {
    if is_outside && !kind.is_empty() {
        kind.push(' ');
    }
    let text = String::from_utf8_lossy(&lexer.text);
    match token {
        Token::Symbol(symbol) => kind.push(char::from(symbol)),
        Token::Text => {
            kind.push('\'');
            kind.push_str(&text.replace('\'', "''"));
            kind.push('\'');
        }
        _ => kind.push_str(&text.to_lowercase()),
    }
}
