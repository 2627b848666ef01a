//! Any statement is rewritten for SQLite: no parameter keeps its PostgreSQL form, and what has none
//! of the rewritten forms stays as it is.
#![no_main]

use db::to_sqlite;
use libfuzzer_sys::fuzz_target;

const REWRITTEN: [&str; 5] = [
    "$",
    "/*no index*/",
    "strpos(",
    "AS MATERIALIZED",
    " FOR UPDATE SKIP LOCKED",
];

fuzz_target!(|sql: &str| {
    let rewritten = to_sqlite(sql);
    assert!(!rewritten.contains('$'));
    if !REWRITTEN.iter().any(|form| sql.contains(form)) {
        assert_eq!(rewritten, sql);
    }
    let parameters = sql.matches('$').count() + sql.matches('?').count();
    assert_eq!(rewritten.matches('?').count(), parameters);
});
