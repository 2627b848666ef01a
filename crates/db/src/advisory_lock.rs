//! All PostgreSQL advisory locks, in one list so that no number has two purposes.
//!
//! The schema has one of its own: `own_slot()` locks the pair `(7236283, slot)`, to find a counter
//! row that no other transaction adds to. PostgreSQL keeps pairs apart from single numbers, so a
//! pair never conflicts with a lock of this list.

/// A lock that [`Tx::lock_advisory`](crate::Tx::lock_advisory) or
/// [`Db::exclusive_snapshot`](crate::Db::exclusive_snapshot) takes. The compiler rejects a number that
/// is used twice.
#[derive(Clone, Copy, Debug)]
#[repr(i64)]
pub enum AdvisoryLock {
    /// Applying migrations.
    Migrations = 7_236_283,
    /// Changing the tree of navigation items.
    NavigationTree = 7_236_284,
    /// Deciding which currency is the default.
    DefaultCurrency = 7_236_285,
    /// Changing API keys.
    ApiKeys = 7_236_286,
    /// Taking a backup that the service stores itself.
    Backups = 7_236_287,
    /// Queueing events for webhooks, and creating webhooks.
    Webhooks = 7_236_288,
    /// Importing bans.
    BanImport = 7_236_289,
    /// Linking profiles at other services to users.
    Identities = 7_236_290,
    /// Beginning sign-ins at other services.
    SignInStates = 7_236_291,
    /// Importing a whole community.
    Import = 7_236_292,
    /// Connecting Discord.
    Discord = 7_236_293,
}

#[cfg(test)]
mod tests {
    use crate::migrate::MIGRATIONS;

    #[test]
    fn migrations_take_only_the_documented_advisory_lock() {
        for migration in MIGRATIONS {
            let lines = migration.postgres.lines();
            for line in lines.filter(|line| line.contains("advisory")) {
                assert!(
                    line.contains("advisory_xact_lock(7236283, slot)"),
                    "list this advisory lock in advisory_lock.rs: {}: {line}",
                    migration.name
                );
            }
        }
    }
}
