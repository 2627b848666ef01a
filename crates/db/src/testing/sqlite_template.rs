//! A SQLite database with the newest schema that tests copy: running all migrations takes longer
//! than most tests.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::migrate::schema_checksum;
use crate::{DatabaseUrl, Db, Options};

pub(super) async fn copy_to(file: &Path) {
    let template = template();
    if !template.exists() {
        create(&template).await;
    }
    fs::copy(template, file).expect("the template can be copied");
}

/// The template is next to the test program, so that `cargo clean` removes it.
fn template() -> PathBuf {
    let program = std::env::current_exe().expect("the program has a path");
    program.with_file_name(format!("template-{}.db", &schema_checksum()[..16]))
}

/// Several processes may create it at once: each makes its own file, and the last one stays.
async fn create(template: &Path) {
    let folder = template.parent().expect("a folder");
    let folder = tempfile::tempdir_in(folder).expect("a temporary folder");
    let original = folder.path().join("original.db");
    let url = DatabaseUrl::Sqlite(original.clone());
    let db = Db::open(&url, &Options::default()).await;
    let db = db.expect("the template opens");
    db.migrate(0).await.expect("the schema is created");
    // The original has a log, and perhaps open connections.
    let copy = folder.path().join("copy.db");
    let connection = Connection::open(&original).expect("the template opens again");
    connection
        .execute("VACUUM INTO ?1", [copy.to_str()])
        .expect("the template can be copied");
    fs::set_permissions(&copy, fs::Permissions::from_mode(0o600)).expect("it is ours");
    fs::rename(copy, template).expect("the template can be put in place");
}
