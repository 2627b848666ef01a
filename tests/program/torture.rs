//! A short run of `scripts/torture`, which disturbs the service in several ways at once from one
//! address. A client at another address gets no error. Times are not checked.

use std::process::{Command, Stdio};

use crate::support::{Home, program_path};

#[tokio::test]
async fn while_one_client_misbehaves_another_gets_no_error() {
    let home = Home::new().await;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/torture");
    let mut torture = Command::new("python3");
    torture
        .args([script, "--binary"])
        .arg(program_path())
        .args(["--seconds", "2", "--scale", "0.1"])
        .stdin(Stdio::null());
    if home.on_postgres() {
        torture.args(["--database-url", &home.database_url()]);
    }
    let output = torture.output().expect("python3 is installed");
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}{errors}");
    assert_eq!(
        text.matches("/healthz").count(),
        3,
        "one line for each: {text}"
    );
}
