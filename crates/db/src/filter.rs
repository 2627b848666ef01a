use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crate::{Value, dialect};

/// A statement with conditions that are there only when they are asked for, so that each
/// combination is a plain statement which an index can serve.
pub struct Filter<'a> {
    sql: String,
    params: Vec<Value<'a>>,
    joint: &'static str,
    aside: bool,
}

impl<'a> Filter<'a> {
    /// `select` ends before its `WHERE`.
    pub fn new(select: &str) -> Self {
        Self {
            sql: select.to_owned(),
            params: Vec::new(),
            joint: " WHERE ",
            aside: false,
        }
    }

    /// Whether the conditions that follow are to have no say in which index is used, each being
    /// about the column it begins with.
    pub fn aside(self, aside: bool) -> Self {
        Self { aside, ..self }
    }

    /// Adds `condition`, which ends where its parameter belongs: `id < `.
    pub fn when(self, condition: &'static str, value: Option<impl Into<Value<'a>>>) -> Self {
        match value {
            Some(value) => self.joined().then(condition, value),
            None => self,
        }
    }

    /// The same where the parameter belongs inside: between `id = (SELECT …` and `)`.
    pub fn when_inside(
        self,
        before: &'static str,
        value: Option<impl Into<Value<'a>>>,
        behind: &'static str,
    ) -> Self {
        match value {
            Some(value) => self.when(before, Some(value)).text(behind),
            None => self,
        }
    }

    /// Adds `condition`, which has no parameter.
    pub fn only(self, condition: &'static str) -> Self {
        self.joined().text(condition)
    }

    /// Adds something that is always there: ` LIMIT `.
    pub fn then(mut self, text: &'static str, value: impl Into<Value<'a>>) -> Self {
        self.params.push(value.into());
        self.sql.push_str(text);
        self.sql.push_str(&format!("${}", self.params.len()));
        self
    }

    /// Goes on with another select of the same statement, which has conditions of its own: `text`
    /// ends before its `WHERE`.
    pub fn beside(self, text: &'static str) -> Self {
        let joint = " WHERE ";
        Self {
            joint,
            aside: false,
            ..self.text(text)
        }
    }

    fn text(mut self, text: &'static str) -> Self {
        self.sql.push_str(text);
        self
    }

    /// Orders by `columns`, all in one direction, so that an index on them serves either. With
    /// `after`, a value for each column, only the rows behind that place are left. This comes
    /// after all conditions.
    pub fn ordered(
        mut self,
        columns: &[&'static str],
        descending: bool,
        after: Option<Vec<Value<'a>>>,
    ) -> Self {
        let (beyond, direction) = if descending {
            ("<", " DESC")
        } else {
            (">", "")
        };
        if let Some(values) = after {
            self = self.aside(false).joined();
            self.sql
                .push_str(&format!("({}) {beyond} (", columns.join(", ")));
            for (i, value) in values.into_iter().enumerate() {
                self = self.then(if i == 0 { "" } else { ", " }, value);
            }
            self.sql.push(')');
        }
        let order = columns.join(&format!("{direction}, "));
        self.sql.push_str(&format!(" ORDER BY {order}{direction}"));
        self
    }

    fn joined(mut self) -> Self {
        self.sql.push_str(self.joint);
        self.joint = " AND ";
        if self.aside {
            self.sql.push_str(dialect::ASIDE);
        }
        self
    }

    pub fn build(self) -> (&'static str, Vec<Value<'a>>) {
        (kept(self.sql), self.params)
    }
}

static KEPT: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);

/// Every statement that was put together so far.
#[cfg(feature = "testing")]
pub(crate) fn all_kept() -> Vec<&'static str> {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.iter().flatten().copied().collect()
}

/// Statements live as long as the program. There are only as many as there are combinations of
/// conditions in its source; nothing a caller sends makes another.
fn kept(sql: String) -> &'static str {
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
    fn an_order_can_go_on_from_a_place() {
        let ordered = |descending, after: Option<&[i64]>| {
            Filter::new("SELECT id FROM t")
                .only("open")
                .ordered(
                    &["at", "id"],
                    descending,
                    after.map(|values| values.iter().map(|value| (*value).into()).collect()),
                )
                .build()
                .0
        };
        assert_eq!(
            ordered(false, None),
            "SELECT id FROM t WHERE open ORDER BY at, id"
        );
        assert_eq!(
            ordered(true, Some(&[5, 6])),
            "SELECT id FROM t WHERE open AND (at, id) < ($1, $2) ORDER BY at DESC, id DESC"
        );
    }

    #[test]
    fn each_select_has_its_own_conditions() {
        let (sql, _) = Filter::new("SELECT (SELECT COUNT(*) FROM t")
            .when("a = ", Some(1))
            .beside(") + (SELECT COUNT(*) FROM u")
            .when("b = ", Some(2))
            .beside(")")
            .build();
        assert_eq!(
            sql,
            "SELECT (SELECT COUNT(*) FROM t WHERE a = $1) + (SELECT COUNT(*) FROM u WHERE b = $2)"
        );
    }

    #[test]
    fn a_text_is_kept_once() {
        assert!(std::ptr::eq(example(Some("a")), example(Some("b"))));
    }
}
