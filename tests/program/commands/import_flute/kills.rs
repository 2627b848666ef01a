//! An import that is killed leaves an empty database or a complete one.

use std::time::Instant;

use super::{CHOICES, SMALL, dump, import};
use crate::support::Home;

const KILLS: u32 = 20;

#[tokio::test]
async fn killed_at_20_moments_the_database_is_empty_or_complete() {
    let home = Home::new().await;
    let started = Instant::now();
    import(&home, SMALL, &[CHOICES, &["--dry-run"]].concat())
        .await
        .ok();
    let length = started.elapsed();
    let path = dump(SMALL);
    let args = [&["import", "flute", &path], CHOICES].concat();
    for moment in 1..=KILLS {
        let home = Home::new().await;
        let program = home.steward(&args).spawn();
        // A little longer than the dry run, so that the commit is among the moments.
        tokio::time::sleep(length * moment * 5 / (KILLS * 4)).await;
        program.kill();
        let service = home.start().await;
        let admin = service.admin();
        let count = async |path: &str| admin.get(path).await.header("x-total-count").to_owned();
        let users = count("/api/users").await;
        let invoices = count("/api/payment-invoices").await;
        let log = count("/api/audit-log?action=import.flute").await;
        match users.as_str() {
            "0" => assert_eq!((&*invoices, &*log), ("0", "0"), "moment {moment}"),
            _ => {
                assert_eq!(
                    (&*users, &*invoices, &*log),
                    ("60", "198", "1"),
                    "moment {moment}"
                );
            }
        }
        service.stop().await.ok();
    }
}
