//! The differences between the SQL dialects of the two engines.
//!
//! Statements are written for PostgreSQL. Some of its forms are rewritten for SQLite:
//!
//! | written | SQLite gets | why |
//! |---|---|---|
//! | `$1` | `?1` | SQLite numbers `$1` by first appearance, not by its digits |
//! | `/*no index*/a = $1` | `+a = ?1` | SQLite has no statistics and would use any matching index; the plus rules out one on `a`. For PostgreSQL it is a comment |
//! | `= ANY($1)` | `IN (SELECT value FROM json_each(?1))` | SQLite has no arrays; [`crate::Value::Ids`] is bound as JSON |
//! | `FROM unnest($1::text[]) value`, or `::bigint[]` | `FROM (SELECT value FROM json_each(?1)) value` | the same for [`crate::Value::Texts`] and [`crate::Value::Ids`] |
//! | `strpos(a, b)` | `instr(a, b)` | the same function |
//! | `AS MATERIALIZED` | `AS` | PostgreSQL must collect the rows to sort them; SQLite's full-text table returns them in order |
//! | `FOR UPDATE SKIP LOCKED`, `FOR KEY SHARE` | nothing | on SQLite there is one writer at a time |
//!
//! Substring search is written the same for both, `FROM user_search($1)`: a full-text table on
//! SQLite, a function on PostgreSQL. [`crate::Containing`] formats its parameter for each.
//!
//! A statement that locks the only row it reads gets the newest version of the row, so it needs no
//! separate lock statement. Other row locks are separate statements that run on PostgreSQL only;
//! see [`crate::Tx::lock`].

/// Precedes a column whose index must not be used.
pub(crate) const NO_INDEX: &str = "/*no index*/";

/// The forms that are replaced wherever they are, with what SQLite gets.
pub const REPLACED: [(&str, &str); 5] = [
    (NO_INDEX, "+"),
    ("strpos(", "instr("),
    ("AS MATERIALIZED", "AS"),
    (" FOR UPDATE SKIP LOCKED", ""),
    (" FOR KEY SHARE", ""),
];

/// Rewrites one statement for SQLite.
pub fn to_sqlite(sql: &str) -> String {
    let replaced = REPLACED
        .iter()
        .fold(sql.to_owned(), |sql, (form, with)| sql.replace(form, with));
    rewrite_params(&replaced)
}

/// Rewrites `= ANY($1)`, `unnest($1::text[])`, `unnest($1::bigint[])` and `$1`.
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

/// If the parameter is a list, returns the text before the list, its SQLite replacement, and the
/// text after the list.
fn split_list<'a>(before: &'a str, after: &'a str) -> Option<(&'a str, &'static str, &'a str)> {
    if let Some(head) = before.strip_suffix("= ANY(") {
        return Some((head, "IN ", after.strip_prefix(')')?));
    }
    let head = before.strip_suffix("unnest(")?;
    let tail = after.strip_prefix("::text[])");
    Some((head, "", tail.or(after.strip_prefix("::bigint[])"))?))
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
    fn a_list_of_texts_or_ids_becomes_a_table() {
        for list in ["$2::text[]", "$2::bigint[]"] {
            assert_eq!(
                to_sqlite(&format!("SELECT value.value, $1 FROM unnest({list}) value")),
                "SELECT value.value, ?1 FROM (SELECT value FROM json_each(?2)) value"
            );
        }
    }

    #[test]
    fn any_becomes_a_json_list() {
        assert_eq!(
            to_sqlite("SELECT 1 FROM t WHERE id = ANY($1) AND x = $2"),
            "SELECT 1 FROM t WHERE id IN (SELECT value FROM json_each(?1)) AND x = ?2"
        );
    }
}
