use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::support::{ADMIN_KEY, Home};

/// The script that the README tells newcomers to run.
const SCRIPT: &str = "examples/community.sh";

#[tokio::test]
async fn the_readme_example_creates_a_community_over_http() {
    let home = Home::new().await;
    let service = home.start().await;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(SCRIPT);
    let ran = Command::new("sh")
        .arg(script)
        .env("KEY", ADMIN_KEY)
        .env("URL", format!("http://{}", service.address))
        .stdin(Stdio::null())
        .output()
        .expect("sh runs");
    let output = String::from_utf8_lossy(&ran.stdout);
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{output}{errors}");

    let last = output.lines().last().expect("statistics");
    let stats: Value = serde_json::from_str(last).expect("JSON");
    let stats = &stats["stats"];
    assert_eq!(stats["completed_amount"].to_string(), "17.99");
    assert_eq!(stats["failed_amount"].to_string(), "5");
    assert_eq!(stats["pending_amount"].to_string(), "7.5");

    let admin = service.admin();
    for (path, list, many) in [
        ("/api/roles", "roles", 3),
        ("/api/users", "users", 3),
        ("/api/users/1/social-networks", "social_networks", 1),
        ("/api/cms-pages", "pages", 2),
        ("/api/cms-pages/1/blocks", "blocks", 2),
        ("/api/navbar-items", "navbar_items", 4),
        ("/api/currencies", "currencies", 2),
        ("/api/promo-codes", "promo_codes", 1),
        ("/api/payment-invoices", "payment_invoices", 3),
    ] {
        let found = admin.get(path).await.ok();
        assert_eq!(found[list].as_array().map(Vec::len), Some(many), "{path}");
    }
}
