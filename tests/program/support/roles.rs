use std::collections::{BTreeMap, BTreeSet};

use db::Db;

/// The names of roles, by their ids.
pub type Roles = BTreeMap<i64, String>;

/// All roles of a database. Asserts that no two have one name, that every role has exactly one
/// audit entry, and every entry its role.
pub async fn stored_roles(db: &Db) -> Roles {
    // A snapshot has no time limit, and there can be very many roles.
    let mut read = db.snapshot().await.expect("a reader");
    let roles = read.query("SELECT id, name FROM roles", &[], |row| {
        Ok((row.get(0)?, row.get(1)?))
    });
    let roles: Roles = roles.await.expect("roles").into_iter().collect();
    let names: BTreeSet<&String> = roles.values().collect();
    assert_eq!(names.len(), roles.len(), "two roles have one name");
    let entries = read.query(
        "SELECT resource_id FROM audit_log WHERE action = 'roles.create'",
        &[],
        |row| row.get::<i64>(0),
    );
    let mut recorded = BTreeSet::new();
    for id in entries.await.expect("entries") {
        assert!(roles.contains_key(&id), "an entry without its role: {id}");
        assert!(recorded.insert(id), "two entries of role {id}");
    }
    assert_eq!(recorded.len(), roles.len(), "every role has its entry");
    roles
}
