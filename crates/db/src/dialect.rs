//! Every difference between the SQL dialects of the two engines.
//!
//! Statements are written for PostgreSQL. Some of its forms are rewritten for SQLite:
//!
//! | written | SQLite gets | why |
//! |---|---|---|
//! | `$1` | `?1` | SQLite numbers `$1` by first appearance, not by its digits |
//! | `/*no index*/a = $1` | `+a = ?1` | SQLite has no statistics and would use any matching index; the plus rules out one on `a`. For PostgreSQL it is a comment |
//! | `= ANY($1)` | `IN (SELECT value FROM json_each(?1))` | SQLite has no arrays; [`crate::Value::Ids`] is bound as JSON |
//! | `FROM unnest($1::text[]) value` | `FROM (SELECT value FROM json_each(?1)) value` | the same for [`crate::Value::Texts`]; `value.value` is an item on both |
//! | `strpos(a, b)` | `instr(a, b)` | the same function |
//! | `AS MATERIALIZED` | `AS` | PostgreSQL must collect the rows to sort them; SQLite's full-text table returns them in order |
//! | `FOR UPDATE SKIP LOCKED`, `FOR KEY SHARE` | nothing | on SQLite there is one writer at a time |
//!
//! Substring search is written the same for both, `FROM user_search($1)`: a full-text table on
//! SQLite, a function on PostgreSQL. [`crate::Containing`] formats its parameter for each.
//!
//! A statement that locks the one row that it reads gets the newest version of the row, so no separate
//! lock statement is needed. Other row locks are separate statements that run on PostgreSQL only; see
//! [`crate::Tx::lock`].

/// Goes before a column whose index must not be used.
pub(crate) const NO_INDEX: &str = "/*no index*/";

/// Rewrites one statement for SQLite.
pub(crate) fn to_sqlite(sql: &str) -> String {
    let sql = sql
        .replace(NO_INDEX, "+")
        .replace("strpos(", "instr(")
        .replace("AS MATERIALIZED", "AS")
        .replace(" FOR UPDATE SKIP LOCKED", "")
        .replace(" FOR KEY SHARE", "");
    rewrite_params(&sql)
}

/// Rewrites `= ANY($1)`, `unnest($1::text[])` and `$1`.
fn rewrite_params(sql: &str) -> String {
    let mut out = String::with_capacity(sql.len() + 32);
    let mut rest = sql;
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        let digits = from[1..]
            .find(|c: char| !c.is_ascii_digit())
            .map_or(from.len(), |n| n + 1);
        let number = &from[1..digits];
        rest = &from[digits..];
        let (head, list, tail) = match split_list(before, rest) {
            Some(split) => split,
            None => {
                out.push_str(before);
                out.push('?');
                out.push_str(number);
                continue;
            }
        };
        out.push_str(head);
        out.push_str(list);
        out.push_str("(SELECT value FROM json_each(?");
        out.push_str(number);
        out.push_str("))");
        rest = tail;
    }
    out.push_str(rest);
    out
}

/// If the parameter is a list: what precedes the list, what SQLite writes before it, and what
/// follows it.
fn split_list<'a>(before: &'a str, after: &'a str) -> Option<(&'a str, &'static str, &'a str)> {
    if let Some(head) = before.strip_suffix("= ANY(") {
        return Some((head, "IN ", after.strip_prefix(')')?));
    }
    let head = before.strip_suffix("unnest(")?;
    Some((head, "", after.strip_prefix("::text[])")?))
}

#[cfg(test)]
mod tests {
    use super::to_sqlite;

    #[test]
    fn parameters_keep_their_numbers() {
        assert_eq!(
            to_sqlite("UPDATE t SET a = $2 WHERE id = $1 AND b = $12"),
            "UPDATE t SET a = ?2 WHERE id = ?1 AND b = ?12"
        );
    }

    #[test]
    fn row_locks_are_removed() {
        assert_eq!(
            to_sqlite("SELECT id FROM t WHERE a <= $1 LIMIT 5 FOR UPDATE SKIP LOCKED)"),
            "SELECT id FROM t WHERE a <= ?1 LIMIT 5)"
        );
        assert_eq!(
            to_sqlite("SELECT a FROM t WHERE id = $1 FOR KEY SHARE"),
            "SELECT a FROM t WHERE id = ?1"
        );
    }

    #[test]
    fn no_index_becomes_a_plus() {
        assert_eq!(
            to_sqlite("SELECT 1 FROM t WHERE /*no index*/a = $1 AND b = $2"),
            "SELECT 1 FROM t WHERE +a = ?1 AND b = ?2"
        );
    }

    #[test]
    fn functions_and_hints_are_rewritten() {
        assert_eq!(
            to_sqlite("WITH f AS MATERIALIZED (SELECT 1) SELECT 1 FROM t WHERE strpos(a, $1) > 0"),
            "WITH f AS (SELECT 1) SELECT 1 FROM t WHERE instr(a, ?1) > 0"
        );
    }

    #[test]
    fn a_list_of_texts_becomes_a_table() {
        assert_eq!(
            to_sqlite("SELECT value.value, $1 FROM unnest($2::text[]) value"),
            "SELECT value.value, ?1 FROM (SELECT value FROM json_each(?2)) value"
        );
    }

    #[test]
    fn any_becomes_a_json_list() {
        assert_eq!(
            to_sqlite("SELECT 1 FROM t WHERE id = ANY($1) AND x = $2"),
            "SELECT 1 FROM t WHERE id IN (SELECT value FROM json_each(?1)) AND x = ?2"
        );
    }
}
