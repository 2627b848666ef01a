//! Rewrites any statement for SQLite: no parameter may keep its PostgreSQL form, and text without
//! rewritten forms must stay unchanged.
#![cfg_attr(fuzzing, no_main)]

use db::{REPLACED, to_sqlite};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|sql: &str| {
    let rewritten = to_sqlite(sql);
    assert!(!rewritten.contains('$'));
    if !sql.contains('$') && !REPLACED.iter().any(|(form, _)| sql.contains(form)) {
        assert_eq!(rewritten, sql);
    }
    let parameters = sql.matches('$').count() + sql.matches('?').count();
    assert_eq!(rewritten.matches('?').count(), parameters);
});
