use crate::error::Problem;
use crate::lexer::{Lexer, Token};
use crate::row::{Kind, Slot};
use crate::{MAX_COLUMNS, MAX_VALUE};

/// The statement whose rows are being read, and its current row.
#[derive(Default)]
pub struct Insert {
    pub columns: Vec<String>,
    pub slots: Vec<Slot>,
    has_rows: bool,
}

impl Insert {
    /// Sets the columns. Their memory is used again: a dump may have a statement for each row.
    fn set_columns<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        let mut count = 0;
        for name in names {
            self.set_column(count, name);
            count += 1;
        }
        self.columns.truncate(count);
    }

    fn set_column(&mut self, index: usize, name: &str) {
        match self.columns.get_mut(index) {
            Some(column) => {
                column.clear();
                column.push_str(name);
            }
            None => self.columns.push(name.to_owned()),
        }
    }

    /// Reads what comes after the table's name, up to the first row. `columns` are those of its
    /// `CREATE TABLE`.
    pub fn begin<'n>(
        &mut self,
        lexer: &mut Lexer,
        columns: Option<impl Iterator<Item = &'n str>>,
    ) -> Result<(), Problem> {
        self.has_rows = false;
        let mut token = lexer.next()?;
        if token == Token::Symbol(b'(') {
            self.read_columns(lexer)?;
            token = lexer.next()?;
        } else {
            match columns {
                Some(columns) => self.set_columns(columns),
                // An error if there are rows.
                None => self.columns.clear(),
            }
        }
        if lexer.is(token, "VALUES") || lexer.is(token, "VALUE") {
            return match self.columns.is_empty() {
                true => Err(Problem::UnknownColumns),
                false => Ok(()),
            };
        }
        Err(unsupported(lexer, token).unwrap_or(Problem::Expected("VALUES")))
    }

    fn read_columns(&mut self, lexer: &mut Lexer) -> Result<(), Problem> {
        let mut count = 0;
        loop {
            let token = lexer.next()?;
            match token {
                Token::Symbol(b')') if count == 0 => break,
                Token::Word | Token::Quoted => {}
                _ => return Err(Problem::Expected("the name of a column")),
            }
            if let Some(problem) = unsupported(lexer, token) {
                return Err(problem);
            }
            if count == MAX_COLUMNS {
                return Err(Problem::too_large("row", MAX_COLUMNS, "columns"));
            }
            self.set_column(count, &String::from_utf8_lossy(&lexer.text));
            count += 1;
            match lexer.next()? {
                Token::Symbol(b',') => {}
                Token::Symbol(b')') => break,
                _ => return Err(Problem::Expected("a comma or closing parenthesis")),
            }
        }
        self.columns.truncate(count);
        Ok(())
    }

    /// Reads the next row. Returns false at the end of the statement.
    pub fn read_row(&mut self, lexer: &mut Lexer) -> Result<bool, Problem> {
        self.slots.clear();
        let mut token = lexer.next()?;
        if self.has_rows {
            match token {
                Token::Delimiter => return Ok(false),
                Token::Symbol(b',') => token = lexer.next()?,
                _ => {
                    let expected = Problem::Expected("a comma or the end of the statement");
                    return Err(unsupported(lexer, token).unwrap_or(expected));
                }
            }
        }
        if token != Token::Symbol(b'(') {
            return Err(Problem::Expected("a row in parentheses"));
        }
        self.has_rows = true;
        loop {
            if self.slots.len() == self.columns.len() {
                return Err(self.width("more".to_owned()));
            }
            let slot = read_value(lexer)?;
            self.slots.push(slot);
            match lexer.token()? {
                Token::Symbol(b',') => {}
                Token::Symbol(b')') => break,
                _ => return Err(Problem::Expression),
            }
        }
        match self.slots.len() {
            count if count < self.columns.len() => Err(self.width(count.to_string())),
            _ => Ok(true),
        }
    }

    fn width(&self, values: String) -> Problem {
        let columns = self.columns.len();
        Problem::Width { values, columns }
    }
}

/// The forms of `INSERT` whose effect depends on more than the statement.
fn unsupported(lexer: &Lexer, token: Token) -> Option<Problem> {
    let forms = [
        ("SELECT", "INSERT with SELECT"),
        ("WITH", "INSERT with SELECT"),
        ("TABLE", "INSERT with TABLE"),
        ("SET", "INSERT with SET"),
        ("ON", "INSERT with ON DUPLICATE KEY"),
        ("AS", "INSERT with ON DUPLICATE KEY"),
        ("RETURNING", "INSERT with RETURNING"),
        ("PARTITION", "INSERT with PARTITION"),
    ];
    let mut forms = forms.into_iter();
    let (_, form) = forms.find(|(word, _)| lexer.is(token, word))?;
    Some(Problem::Insert(form))
}

/// Reads a value. Its bytes are appended to the text of the lexer.
fn read_value(lexer: &mut Lexer) -> Result<Slot, Problem> {
    let start = lexer.text.len();
    let kind = match lexer.token()? {
        Token::Integer => Kind::Integer,
        Token::Decimal => Kind::Decimal,
        Token::Text => Kind::Text,
        Token::Bytes => Kind::Blob,
        Token::Word => read_word(lexer, start)?,
        Token::Symbol(sign @ (b'-' | b'+')) => {
            lexer.text.extend((sign == b'-').then_some(sign));
            match lexer.token()? {
                Token::Integer => Kind::Integer,
                Token::Decimal => Kind::Decimal,
                _ => return Err(Problem::Expression),
            }
        }
        _ => return Err(Problem::Expression),
    };
    let end = lexer.text.len();
    // A value grows a little beyond the limit before this is noticed.
    if end - start > MAX_VALUE {
        return Err(Problem::too_large("value", MAX_VALUE >> 20, "MiB"));
    }
    Ok(Slot { kind, end })
}

/// Reads `NULL`, or a string after the name of its character set.
fn read_word(lexer: &mut Lexer, start: usize) -> Result<Kind, Problem> {
    let is_binary = match lexer.text[start..].to_ascii_lowercase().as_slice() {
        b"null" => {
            lexer.text.truncate(start);
            return Ok(Kind::Null);
        }
        b"_binary" => true,
        b"_utf8" | b"_utf8mb3" | b"_utf8mb4" => false,
        _ => return Err(Problem::Expression),
    };
    lexer.text.truncate(start);
    match lexer.token()? {
        Token::Text if !is_binary => Ok(Kind::Text),
        Token::Text | Token::Bytes => Ok(Kind::Blob),
        _ => Err(Problem::Expression),
    }
}
