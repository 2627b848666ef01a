//! Backups that the service takes by itself.

use kernel::types::time::HOUR;
use platform::backups::{self, Claim, schedule};
use server::app::App;

use super::{actions, entries, folder, instance, list, take};
use crate::support::{TestApp, backup_settings};

/// An instance that takes a backup every day and keeps two.
async fn daily(app: &TestApp) -> App {
    let settings = backups::Settings {
        every_hours: Some(24),
        keep: 2,
        ..backup_settings(&app.scratch)
    };
    instance(app, settings).await.0
}

async fn once(app: &App) -> bool {
    schedule::once(&app.backups).await.expect("a round")
}

#[service_test]
async fn a_backup_is_taken_when_one_is_due_and_the_oldest_are_deleted(app: TestApp) {
    let (first, second) = (daily(&app).await, daily(&app).await);
    assert!(once(&first).await, "there is none yet");
    app.advance(24 * HOUR - 1);
    assert!(!once(&first).await && !once(&second).await, "too early");
    for day in 1..4 {
        app.advance(1);
        assert!(once(&second).await, "day {day}");
        assert!(!once(&first).await, "day {day}: the other has taken it");
        app.advance(24 * HOUR - 1);
    }
    let kept = ["steward-20260303T120000Z.db", "steward-20260304T120000Z.db"];
    let with_counts = kept.map(|name| [name.to_owned(), format!("{name}.json")]);
    assert_eq!(entries(&app), with_counts.concat());
    let log = actions(&app.admin()).await;
    let count = |action: &str| {
        let wanted = (action.to_owned(), "system".to_owned());
        log.iter().filter(|entry| **entry == wanted).count()
    };
    assert_eq!((count("backups.create"), count("backups.delete")), (4, 2));
}

#[service_test]
async fn only_whole_backups_count_and_what_a_killed_run_left_is_removed(app: TestApp) {
    let daily = daily(&app).await;
    assert!(once(&daily).await);
    let whole = entries(&app);
    let partial = folder(&app).join(".steward-20260301T110000Z.db.partial");
    std::fs::create_dir(&partial).expect("a folder");
    std::fs::write(partial.join("backup.db"), "half").expect("a file");
    std::fs::write(folder(&app).join("steward-20260301T100000Z.db.json"), "{}").expect("a file");
    std::fs::write(folder(&app).join("notes.txt"), "mine").expect("a file");
    assert!(!once(&daily).await, "none is due");
    let mut expected = vec!["notes.txt".to_owned()];
    expected.extend(whole);
    assert_eq!(entries(&app), expected);

    // A run of another instance is left alone.
    let claim = Claim::new(&app.app.backups)
        .await
        .expect("nothing else runs");
    app.advance(24 * HOUR);
    assert!(!once(&daily).await, "another one runs");
    assert_eq!(list(&app.admin()).await[1]["state"], "running");
    drop(claim);
}

#[service_test]
async fn a_failure_is_retried_after_ten_minutes(app: TestApp) {
    let daily = daily(&app).await;
    std::fs::write(folder(&app).join(".steward-20260301T120000Z.db.failed"), "").expect("a mark");
    assert!(!once(&daily).await, "it has just failed");
    app.advance(599);
    assert!(!once(&daily).await);
    app.advance(1);
    assert!(once(&daily).await);
    assert_eq!(list(&app.admin()).await.len(), 1, "the mark is gone");
}

#[service_test]
async fn a_backup_with_a_name_of_the_future_delays_none_and_is_not_the_one_to_keep(app: TestApp) {
    let daily = daily(&app).await;
    for day in ["20300101", "20300102"] {
        let name = format!("steward-{day}T000000Z.db");
        std::fs::write(folder(&app).join(name), "").expect("a file");
    }
    assert!(once(&daily).await);
    let names: Vec<String> = entries(&app);
    assert!(
        names.contains(&"steward-20260301T120000Z.db".to_owned()),
        "{names:?}"
    );
    assert_eq!(list(&app.admin()).await.len(), 2);
}

#[service_test]
async fn without_a_schedule_nothing_is_taken(app: TestApp) {
    assert!(!once(&app.app).await);
    let (disabled, _) = instance(&app, backups::Settings::default()).await;
    assert!(!once(&disabled).await);
    let name = take(&app.admin()).await;
    assert_eq!(list(&app.admin()).await[0]["name"], name);
}
