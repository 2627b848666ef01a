use std::collections::HashSet;
use std::sync::LazyLock;

use foldhash::fast::RandomState;
use parking_lot::Mutex;

use crate::{Value, dialect};

/// Builds a `SELECT` with optional conditions. Absent conditions are not part of the SQL, so each
/// combination is a plain statement that can use an index.
pub struct Select<'a> {
    sql: String,
    params: Vec<Value<'a>>,
    /// The keyword before the next condition.
    keyword: &'static str,
    without_index: bool,
}

const WHERE: &str = " WHERE ";
const AND: &str = " AND ";

impl<'a> Select<'a> {
    /// Starts with `select`, which ends before its `WHERE`.
    pub fn new(select: &str) -> Self {
        Self {
            sql: select.to_owned(),
            params: Vec::new(),
            keyword: WHERE,
            without_index: false,
        }
    }

    /// If `true`, the following conditions do not use an index on the column they begin with. See
    /// [`dialect`].
    pub fn without_index(mut self, without_index: bool) -> Self {
        self.without_index = without_index;
        self
    }

    /// Adds `condition` if there is a value. It ends where its parameter goes: `id < `.
    pub fn and(mut self, condition: &'static str, value: Option<impl Into<Value<'a>>>) -> Self {
        if let Some(value) = value {
            self.start_condition();
            self.push_param(condition, value);
        }
        self
    }

    /// Adds a condition with the parameter inside, between `id = (SELECT …` and `)`, if there is a
    /// value.
    pub fn and_in(
        mut self,
        before: &'static str,
        value: Option<impl Into<Value<'a>>>,
        after: &'static str,
    ) -> Self {
        if let Some(value) = value {
            self.start_condition();
            self.push_param(before, value);
            self.sql.push_str(after);
        }
        self
    }

    /// Adds `condition`, which has no parameter.
    pub fn and_raw(mut self, condition: &'static str) -> Self {
        self.start_condition();
        self.sql.push_str(condition);
        self
    }

    /// Compares several columns with a value for each, as a row: `(at, id) < ($1, $2)`.
    pub fn and_row(
        mut self,
        columns: &[&'static str],
        comparison: &'static str,
        values: Vec<Value<'a>>,
    ) -> Self {
        self.start_condition();
        self.sql
            .push_str(&format!("({}) {comparison} (", columns.join(", ")));
        for (i, value) in values.into_iter().enumerate() {
            self.push_param(if i == 0 { "" } else { ", " }, value);
        }
        self.sql.push(')');
        self
    }

    /// Adds text with a parameter, such as ` LIMIT `, unconditionally.
    pub fn push(mut self, text: &'static str, value: impl Into<Value<'a>>) -> Self {
        self.push_param(text, value);
        self
    }

    /// Ends the conditions and adds `text`. If `text` begins another select, which must end before
    /// its `WHERE`, the following conditions belong to that one.
    pub fn end_where(mut self, text: &'static str) -> Self {
        self.sql.push_str(text);
        self.keyword = WHERE;
        self.without_index = false;
        self
    }

    /// Orders by `columns`, all in one direction, so that one index serves both directions. With
    /// `after`, a value for each column, only the rows after that position are selected. Must be
    /// called after all conditions.
    pub fn order_by(
        mut self,
        columns: &[&'static str],
        descending: bool,
        after: Option<Vec<Value<'a>>>,
    ) -> Self {
        let (comparison, direction) = if descending {
            ("<", " DESC")
        } else {
            (">", "")
        };
        if let Some(values) = after {
            self.without_index = false;
            self = self.and_row(columns, comparison, values);
        }
        let order = columns.join(&format!("{direction}, "));
        self.sql.push_str(&format!(" ORDER BY {order}{direction}"));
        self
    }

    pub fn build(self) -> (&'static str, Vec<Value<'a>>) {
        (intern(self.sql), self.params)
    }

    fn start_condition(&mut self) {
        self.sql.push_str(self.keyword);
        self.keyword = AND;
        if self.without_index {
            self.sql.push_str(dialect::NO_INDEX);
        }
    }

    fn push_param(&mut self, text: &'static str, value: impl Into<Value<'a>>) {
        self.params.push(value.into());
        self.sql.push_str(text);
        self.sql.push_str(&format!("${}", self.params.len()));
    }
}

static INTERNED: LazyLock<Mutex<HashSet<&'static str, RandomState>>> =
    LazyLock::new(Mutex::default);

/// Leaks the text, so that it lives as long as the program. The combinations of conditions in the
/// source bound the set; no input adds to it.
fn intern(sql: String) -> &'static str {
    let mut interned = INTERNED.lock();
    match interned.get(sql.as_str()) {
        Some(known) => known,
        None => {
            let sql: &'static str = sql.leak();
            interned.insert(sql);
            sql
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Select;

    fn example(name: Option<&str>) -> &'static str {
        Select::new("SELECT id FROM t")
            .and("name = ", name)
            .and("id < ", Some(9))
            .push(" LIMIT ", 5)
            .build()
            .0
    }

    #[test]
    fn a_condition_without_a_value_is_left_out() {
        assert_eq!(
            example(Some("a")),
            "SELECT id FROM t WHERE name = $1 AND id < $2 LIMIT $3"
        );
        assert_eq!(example(None), "SELECT id FROM t WHERE id < $1 LIMIT $2");
    }

    #[test]
    fn order_by_can_continue_after_a_position() {
        let ordered = |descending, after: Option<&[i64]>| {
            Select::new("SELECT id FROM t")
                .and_raw("open")
                .order_by(
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
    fn each_select_of_a_statement_has_its_own_where() {
        let (sql, _) = Select::new("SELECT (SELECT COUNT(*) FROM t")
            .and("a = ", Some(1))
            .end_where(") + (SELECT COUNT(*) FROM u")
            .and("b = ", Some(2))
            .end_where(")")
            .build();
        assert_eq!(
            sql,
            "SELECT (SELECT COUNT(*) FROM t WHERE a = $1) + (SELECT COUNT(*) FROM u WHERE b = $2)"
        );
    }

    #[test]
    fn a_parameter_can_be_inside_a_condition() {
        let select = |key| {
            Select::new("SELECT id FROM t")
                .without_index(true)
                .and_in("a = (SELECT id FROM u WHERE b = ", key, ")")
                .and("c = ", Some(1))
                .build()
                .0
        };
        assert_eq!(
            select(Some(1)),
            "SELECT id FROM t WHERE /*no index*/a = (SELECT id FROM u WHERE b = $1) \
             AND /*no index*/c = $2"
        );
        assert_eq!(select(None), "SELECT id FROM t WHERE /*no index*/c = $1");
    }

    #[test]
    fn equal_statements_are_stored_once() {
        assert!(std::ptr::eq(example(Some("a")), example(Some("b"))));
    }
}
