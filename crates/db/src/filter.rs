use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crate::Value;

/// A statement with conditions that are there only when they are asked for, so that each
/// combination is a plain statement which an index can serve.
pub struct Filter<'a> {
    sql: String,
    params: Vec<Value<'a>>,
    joint: &'static str,
}

impl<'a> Filter<'a> {
    /// `select` ends before its `WHERE`.
    pub fn new(select: &str) -> Self {
        Self {
            sql: select.to_owned(),
            params: Vec::new(),
            joint: " WHERE ",
        }
    }

    /// Adds `condition`, which ends where its parameter belongs: `id < `.
    pub fn when(mut self, condition: &'static str, value: Option<impl Into<Value<'a>>>) -> Self {
        if let Some(value) = value {
            self.sql.push_str(self.joint);
            self.joint = " AND ";
            self = self.then(condition, value);
        }
        self
    }

    /// Adds something that is always there: ` LIMIT `.
    pub fn then(mut self, text: &'static str, value: impl Into<Value<'a>>) -> Self {
        self.params.push(value.into());
        self.sql.push_str(text);
        self.sql.push_str(&format!("${}", self.params.len()));
        self
    }

    pub fn build(self) -> (&'static str, Vec<Value<'a>>) {
        (kept(self.sql), self.params)
    }
}

/// Statements live as long as the program. There are only as many as there are combinations of
/// conditions in its source; nothing a caller sends makes another.
fn kept(sql: String) -> &'static str {
    static KEPT: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = kept.get_or_insert_default();
    match kept.get(sql.as_str()) {
        Some(known) => known,
        None => {
            let sql: &'static str = sql.leak();
            kept.insert(sql);
            sql
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Filter;

    fn example(name: Option<&str>) -> &'static str {
        Filter::new("SELECT id FROM t")
            .when("name = ", name)
            .when("id < ", Some(9))
            .then(" LIMIT ", 5)
            .build()
            .0
    }

    #[test]
    fn only_what_is_asked_for_is_there() {
        assert_eq!(
            example(Some("a")),
            "SELECT id FROM t WHERE name = $1 AND id < $2 LIMIT $3"
        );
        assert_eq!(example(None), "SELECT id FROM t WHERE id < $1 LIMIT $2");
    }

    #[test]
    fn a_text_is_kept_once() {
        assert!(std::ptr::eq(example(Some("a")), example(Some("b"))));
    }
}
