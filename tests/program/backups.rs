//! Backups that the service takes by itself.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::support::{Home, Program, within};

const DAILY: [&str; 4] = ["--backup-dir", "backups", "--backup-every", "24"];

/// The whole backups in a folder.
fn backups(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    let files = entries.map(|entry| entry.expect("an entry").path());
    files
        .filter(|file| file.extension().is_some_and(|end| end == "db"))
        .collect()
}

/// The service with its first backup.
async fn start_with_backup(home: &Home) -> (Program, PathBuf) {
    let service = home.start_with(&DAILY).await;
    let folder = home.folder().join("backups");
    let first = within(async {
        loop {
            let list = service.admin().get("/api/backups").await.ok();
            if list["backups"][0]["state"] == "done" {
                return backups(&folder)[0].clone();
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let first = first.await;
    (service, first)
}

#[tokio::test]
async fn the_service_takes_its_first_backup_by_itself_and_it_can_be_restored() {
    let home = Home::new().await;
    home.run(&["demo", "--users", "40", "--invoices", "90"])
        .await
        .ok();
    let (service, file) = start_with_backup(&home).await;
    let metrics = service.anonymous().get("/metrics").await.text;
    let mut samples = metrics.lines().filter_map(|line| line.rsplit_once(' '));
    let age = samples.find(|(name, _)| *name == "steward_backup_age_seconds");
    let age: f64 = age.expect("a sample").1.parse().expect("a number");
    assert!((0.0..3600.0).contains(&age), "{age}");
    service.stop().await.ok();

    // The one of the last start is recent enough.
    let (service, again) = start_with_backup(&home).await;
    assert_eq!(file, again);
    service.stop().await.ok();
    assert_eq!(backups(&home.folder().join("backups")).len(), 1);

    let other = Home::new().await;
    std::fs::create_dir_all(other.data()).expect("a folder");
    std::fs::copy(home.secret_key_file(), other.secret_key_file()).expect("copied");
    let file = file.to_str().expect("a path");
    let restored = other.run(&["restore", file]).await;
    assert!(restored.ok().contains("40  users\n"), "{restored:?}");
    other.run(&["check"]).await.ok();
}

#[tokio::test]
async fn the_next_start_removes_the_partial_backup_of_a_killed_service() {
    let home = Home::new().await;
    let partial = home
        .folder()
        .join("backups/.steward-20260301T120000Z.db.partial");
    std::fs::create_dir_all(&partial).expect("a folder");
    std::fs::write(partial.join("backup.db"), "half").expect("a file");
    let (service, _) = start_with_backup(&home).await;
    assert!(!partial.exists());
    service.stop().await.ok();
}

#[tokio::test]
async fn a_stop_leaves_nothing_of_a_backup_that_is_being_taken() {
    let home = Home::new().await;
    home.run(&["demo", "--users", "400", "--invoices", "900"])
        .await
        .ok();
    let service = home.start_with(&DAILY).await;
    service.stop().await.ok();
    let entries = std::fs::read_dir(home.folder().join("backups")).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let partial: Vec<_> = names
        .filter(|name| name.to_string_lossy().ends_with(".partial"))
        .collect();
    assert!(partial.is_empty(), "{partial:?}");
}

#[tokio::test]
async fn a_schedule_needs_a_folder_that_can_be_written() {
    let home = Home::new().await;
    let missing = home.run(&["--backup-every", "24"]).await;
    missing.misused(&["--backup-dir"]);
    let zero = home
        .run(&["--backup-dir", "backups", "--backup-every", "0"])
        .await;
    zero.misused(&["--backup-every"]);
    home.write("file", "not a folder");
    let file = home.run(&["--backup-dir", "file"]).await;
    assert_eq!(file.code, Some(1), "{file:?}");
    assert!(
        file.stderr.contains("the folder of backups file: "),
        "{file:?}"
    );
}
