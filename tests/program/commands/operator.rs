use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{Home, Program, within};

const POLL: Duration = Duration::from_millis(50);

/// A printed link: where the service is, and the token.
fn setup_link(text: &str) -> Option<(String, String)> {
    let mut lines = text.lines();
    let line = lines.find(|line| line.contains("/console/setup#token="))?;
    let (origin, token) = line.trim().split_once("/console/setup#token=")?;
    Some((origin.to_owned(), token.to_owned()))
}

/// The link that a first start with a chosen key writes to a file.
async fn written_link(home: &Home, service: &mut Program) -> (String, String) {
    let line = service
        .logged(|line| {
            line["file"]
                .as_str()
                .is_some_and(|file| file.ends_with("setup-link"))
        })
        .await;
    let path = home.folder().join(line["file"].as_str().expect("a path"));
    let mode = std::fs::metadata(&path).expect("a file").permissions();
    assert_eq!(
        std::os::unix::fs::PermissionsExt::mode(&mode) & 0o777,
        0o600
    );
    let text = std::fs::read_to_string(path).expect("text");
    setup_link(&text).expect("a link")
}

/// Waits until the service has removed the file of the link.
async fn no_link_is_left(home: &Home) {
    let file = home.data().join("setup-link");
    let is_gone = async {
        while file.exists() {
            tokio::time::sleep(POLL).await
        }
    };
    within(is_gone).await;
}

fn http() -> reqwest::Client {
    let client = reqwest::Client::builder().no_proxy().build();
    client.expect("a client")
}

async fn set_up(origin: &str, token: &str, name: &str) -> reqwest::Response {
    let body = json!({
        "token": token, "username": name, "email": format!("{name}@example.com"),
        "password": "battery staple",
    });
    let call = http().post(format!("{origin}/api/console/setup"));
    let call = call.header("Content-Type", "application/json");
    call.body(body.to_string())
        .send()
        .await
        .expect("a response")
}

/// Opens the link, as a browser does. The console does what [`set_up`] does.
async fn open_link(origin: &str) {
    let page = http().get(format!("{origin}/console/setup")).send().await;
    let page = page.expect("a response");
    assert_eq!(page.status(), 200);
    let html = page.text().await.expect("text");
    assert!(html.contains("<script type=\"module\""), "{html}");
}

async fn first_operator(service: &mut Program) -> Value {
    let (origin, token) = service.wait_for_stderr(setup_link).await;
    open_link(&origin).await;
    let response = set_up(&origin, &token, "anna").await;
    assert_eq!(response.status(), 201);
    let cookie = response.headers()["set-cookie"].to_str().expect("text");
    let cookie = cookie.split(';').next().expect("a pair").to_owned();
    let again = set_up(&origin, &token, "berta").await;
    assert_eq!(again.status(), 422, "a link works once");
    let signed_in = service.anonymous().with("Cookie", &cookie);
    signed_in.get("/api/console/session").await.ok()
}

#[tokio::test]
async fn the_link_that_a_first_start_prints_makes_a_signed_in_operator() {
    let home = Home::new().await;
    let mut service = home.steward(&[]).serve().await;
    let session = first_operator(&mut service).await;
    assert_eq!(session["operator"]["username"], "anna");
    let all = session["permissions"].as_array().map(Vec::len);
    assert!(all > Some(20), "{session}");
    service.stop().await.ok();

    let again = home.steward(&[]).serve().await;
    let ended = again.stop().await;
    assert!(!ended.stderr.contains("/console/setup"), "{}", ended.stderr);
}

#[tokio::test]
async fn the_file_with_the_link_stays_over_a_restart_and_is_removed_when_the_link_was_used() {
    let home = Home::new().await;
    let mut service = home.start().await;
    written_link(&home, &mut service).await;
    service.stop().await.ok();
    let service = home.start().await;
    // Longer than a valid link would stay if it were removed.
    tokio::time::sleep(Duration::from_secs(3)).await;
    let file = home.data().join("setup-link");
    let text = std::fs::read_to_string(&file).expect("the link is still there");
    let (_, token) = setup_link(&text).expect("a link");
    let origin = format!("http://{}", service.address);
    assert_eq!(set_up(&origin, &token, "anna").await.status(), 201);
    no_link_is_left(&home).await;
    service.stop().await.ok();

    // A process that was killed has left it behind.
    std::fs::write(&file, text).expect("written");
    let _service = home.start().await;
    no_link_is_left(&home).await;
}

#[tokio::test]
async fn operators_are_invited_added_listed_and_removed() {
    let home = Home::new().await;
    let mut service = home.start().await;
    let (origin, printed) = written_link(&home, &mut service).await;
    let invited = home.run(&["operator", "invite"]).await;
    let (_, token) = setup_link(invited.ok()).expect("a link");
    assert!(!invited.stderr.contains(&token));
    no_link_is_left(&home).await;
    assert_eq!(set_up(&origin, &printed, "anna").await.status(), 422);
    assert_eq!(set_up(&origin, &token, "anna").await.status(), 201);
    let refused = home.run(&["operator", "invite"]).await;
    refused.failed("there is an operator already, who can add others");

    let admin = service.admin();
    let berta = json!({
        "username": "berta", "email": "berta@example.com", "password": "battery staple",
    });
    admin.post("/api/users", berta).await.created();
    let unknown = home.run(&["operator", "add", "nobody"]).await;
    unknown.failed("there is no user nobody");
    let args = ["operator", "add", "berta@example.com", "--permission"];
    let added = home.run(&[&args[..], &["admin.roles"]].concat()).await;
    assert_eq!(added.ok(), "User 2 is an operator.\n");
    let shown = admin.get("/api/operators/2").await.ok();
    let permissions = shown["operator"]["permissions"].as_array().expect("a list");
    assert_eq!(permissions.len(), 1);
    home.run(&["operator", "add", "berta", "--all"]).await.ok();
    let shown = admin.get("/api/operators/2").await.ok();
    let permissions = shown["operator"]["permissions"].as_array().expect("a list");
    assert!(permissions.len() > 20, "{shown}");

    let listed = home.run(&["operator", "list"]).await;
    let lines = listed.ok().lines();
    let names: Vec<_> = lines
        .filter_map(|line| line.split_whitespace().last())
        .collect();
    assert_eq!(names, ["name", "anna", "berta"]);
    let listed = home.run(&["operator", "list", "--json"]).await;
    let listed: Value = serde_json::from_str(listed.ok()).expect("JSON");
    assert_eq!(listed, admin.get("/api/operators").await.ok());
    let ended = home.run(&["operator", "reset-two-factor", "berta"]).await;
    ended.ok();
    home.run(&["operator", "remove", "berta"]).await.ok();
    admin.get("/api/operators/2").await.expect(404);
    admin.get("/api/users/2").await.ok();
    let missing = home.run(&["operator", "remove", "berta"]).await;
    missing.failed("There is no such operator.");
}
