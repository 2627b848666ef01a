//! Every difference between the dialects of the two engines.
//!
//! Statements are written for PostgreSQL. Some of its forms are rewritten for SQLite:
//!
//! | written | SQLite gets | why |
//! |---|---|---|
//! | `$1` | `?1` | SQLite numbers `$1` by first appearance, not by its digits |
//! | `/*aside*/a = $1` | `+a = ?1` | SQLite keeps no statistics and would take any index that fits; the plus keeps it from one on `a`. To PostgreSQL it is a comment |
//! | `= ANY($1)` | `IN (SELECT value FROM json_each(?1))` | SQLite has no arrays; [`crate::Value::Ids`] is bound as JSON |
//! | `strpos(a, b)` | `instr(a, b)` | the same function |
//! | `AS MATERIALIZED` | `AS` | whatever PostgreSQL must collect to put it in order, SQLite's full-text table gives in order |
//! | `FOR UPDATE SKIP LOCKED` | nothing | on SQLite a writer is alone |
//!
//! A search by trigrams is called the same on both, `FROM user_search($1)`: a full-text table on
//! SQLite, a function on PostgreSQL. [`crate::Containing`] writes its parameter for either.
//!
//! Other row locks are statements of their own, on PostgreSQL only; see [`crate::Tx::lock`].

/// Stands before a column that is to have no say in which index is used.
pub(crate) const ASIDE: &str = "/*aside*/";

/// Rewrites one statement for SQLite.
pub(crate) fn to_sqlite(sql: &str) -> String {
    let sql = sql
        .replace(ASIDE, "+")
        .replace("strpos(", "instr(")
        .replace("AS MATERIALIZED", "AS");
    let mut out = String::with_capacity(sql.len() + 32);
    let sql = sql.replace(" FOR UPDATE SKIP LOCKED", "");
    let mut rest = sql.as_str();
    while let Some(at) = rest.find('$') {
        let (before, from) = rest.split_at(at);
        let digits = from[1..]
            .find(|c: char| !c.is_ascii_digit())
            .map_or(from.len(), |n| n + 1);
        let number = &from[1..digits];
        rest = &from[digits..];
        match (before.strip_suffix("= ANY("), rest.strip_prefix(')')) {
            (Some(head), Some(tail)) => {
                out.push_str(head);
                out.push_str("IN (SELECT value FROM json_each(?");
                out.push_str(number);
                out.push_str("))");
                rest = tail;
            }
            _ => {
                out.push_str(before);
                out.push('?');
                out.push_str(number);
            }
        }
    }
    out.push_str(rest);
    out
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
    fn rows_are_not_locked() {
        assert_eq!(
            to_sqlite("SELECT id FROM t WHERE a <= $1 LIMIT 5 FOR UPDATE SKIP LOCKED)"),
            "SELECT id FROM t WHERE a <= ?1 LIMIT 5)"
        );
    }

    #[test]
    fn a_column_can_be_kept_from_its_index() {
        assert_eq!(
            to_sqlite("SELECT 1 FROM t WHERE /*aside*/a = $1 AND b = $2"),
            "SELECT 1 FROM t WHERE +a = ?1 AND b = ?2"
        );
    }

    #[test]
    fn functions_and_hints_are_those_of_sqlite() {
        assert_eq!(
            to_sqlite("WITH f AS MATERIALIZED (SELECT 1) SELECT 1 FROM t WHERE strpos(a, $1) > 0"),
            "WITH f AS (SELECT 1) SELECT 1 FROM t WHERE instr(a, ?1) > 0"
        );
    }

    #[test]
    fn lists_become_json() {
        assert_eq!(
            to_sqlite("SELECT 1 FROM t WHERE id = ANY($1) AND x = $2"),
            "SELECT 1 FROM t WHERE id IN (SELECT value FROM json_each(?1)) AND x = ?2"
        );
    }
}
