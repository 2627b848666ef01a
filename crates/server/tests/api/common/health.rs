//! Probes, metrics and documentation, none of which needs a key.

use std::time::{Duration, Instant};

use base64::Engine;
use db::{DatabaseUrl, Db};
use reqwest::Method;
use server::routes::{PublicPaths, router};
use sha2::{Digest, Sha256};

use crate::support::{Client, TestApp, listen};

#[service_test]
async fn healthz_and_readyz_answer_without_a_key(app: TestApp) {
    for (path, text) in [("/healthz", "ok\n"), ("/readyz", "ready\n")] {
        let answer = app.anonymous().get(path).await;
        assert_eq!((answer.status, answer.text.as_str()), (200, text));
        assert!(answer.header("content-type").starts_with("text/plain"));
        assert_eq!(app.holder("worthless").get(path).await.status, 200);
        let refused = app.anonymous().send(Method::POST, path, None).await;
        refused.error(405, "method_not_allowed");
    }
}

/// Cuts the test's database off at the PostgreSQL server.
struct Operator {
    server: Db,
    database: String,
}

impl Operator {
    async fn of(app: &TestApp) -> Self {
        let (_, database) = app.scratch.url().rsplit_once('/').expect("a database");
        let address = std::env::var("STEWARD_TEST_POSTGRES").expect("a server");
        let address: DatabaseUrl = address.parse().expect("an address");
        let server = Db::open(&address, &db::Options::default()).await;
        Self {
            server: server.expect("the server answers"),
            database: database.to_owned(),
        }
    }

    async fn allow(&self, connections: bool) {
        let database = &self.database;
        let sql = format!("ALTER DATABASE {database} WITH ALLOW_CONNECTIONS {connections}");
        let answer = self.server.run_sql(&sql).await;
        answer.expect("an altered database");
    }

    async fn disconnect_all(&self) {
        let sql = format!(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'",
            self.database
        );
        let answer = self.server.run_sql(&sql).await;
        answer.expect("no more connections");
    }
}

/// Repeats the request until the answer has this status.
async fn wait_for(caller: &Client, path: &str, status: u16) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while caller.get(path).await.status != status {
        assert!(Instant::now() < deadline, "{path} never answers {status}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[service_test]
async fn without_its_database_readyz_gives_503_and_healthz_200(app: TestApp) {
    // An open SQLite file cannot be cut off.
    if !app.core().db.on_postgres() {
        return;
    }
    let operator = Operator::of(&app).await;
    operator.allow(false).await;
    operator.disconnect_all().await;
    wait_for(&app.anonymous(), "/readyz", 503).await;

    let answer = app.anonymous().get("/readyz").await;
    let error = answer.error(503, "unavailable");
    assert_eq!(answer.header("retry-after"), "1");
    let message = error["message"].as_str().expect("a message");
    assert!(!message.contains(&operator.database), "{message}");
    assert_eq!(app.anonymous().get("/healthz").await.status, 200);
    assert_eq!(app.anonymous().get("/metrics").await.status, 200);
    let caller = app.admin();
    let answer = caller.get("/api/roles").await;
    answer.error(503, "unavailable");
    let answer = caller
        .post("/api/roles", serde_json::json!({ "name": "Guard" }))
        .await;
    answer.error(503, "unavailable");

    operator.allow(true).await;
    wait_for(&app.anonymous(), "/readyz", 200).await;
    wait_for(&caller, "/api/roles", 200).await;
    let body = serde_json::json!({ "name": "Guard" });
    caller.post("/api/roles", body).await.created();
}

#[service_test]
async fn the_openapi_document_needs_no_key(app: TestApp) {
    let answer = app.anonymous().get("/openapi.json").await;
    let document = answer.ok();
    assert_eq!(answer.header("content-type"), "application/json");
    assert!(
        document["openapi"]
            .as_str()
            .is_some_and(|version| version.starts_with("3.1"))
    );
    assert_eq!(document["info"]["version"], kernel::API_VERSION);
    let scheme = &document["components"]["securitySchemes"]["ApiKey"];
    assert_eq!(
        (&scheme["in"], &scheme["name"]),
        (&"header".into(), &"X-API-Key".into())
    );
}

/// The page without the contents of its scripts, whose licences contain URLs.
fn markup(mut html: &str) -> String {
    let mut markup = String::new();
    while let Some((before, rest)) = html.split_once("<script") {
        let (attributes, rest) = rest.split_once('>').expect("the tag ends");
        let (_, rest) = rest.split_once("</script>").expect("the script ends");
        markup += &format!("{before}<script{attributes}>");
        html = rest;
    }
    markup + html
}

#[service_test]
async fn the_docs_page_loads_nothing_from_other_hosts(app: TestApp) {
    let answer = app.anonymous().get("/docs").await;
    assert_eq!(answer.status, 200);
    assert!(answer.header("content-type").starts_with("text/html"));
    assert!(answer.text.contains("/openapi.json"));
    let markup = markup(&answer.text);
    assert!(markup.contains("<script>"), "{markup}");
    for reference in [
        "src=", "href=", "@import", "<link", "<iframe", "<base", "url(//", "url(h",
    ] {
        assert!(!markup.contains(reference), "{reference}");
    }

    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none';"), "{policy}");
    let hashes = script_hashes(&answer.text);
    assert_eq!(hashes.len(), 2);
    for directive in policy.split(';').map(str::trim) {
        let (name, sources) = directive.split_once(' ').expect("a directive");
        for source in sources.split(' ') {
            let own = match name {
                "script-src" => hashes.iter().any(|hash| hash == source),
                "style-src" => source == "'unsafe-inline'",
                _ => ["'none'", "'self'", "data:"].contains(&source),
            };
            assert!(own, "{name} {source}");
        }
    }
    for hash in hashes {
        assert!(policy.contains(&hash), "{policy}");
    }
    // These two do not fall back to `default-src`.
    assert!(policy.contains("; base-uri 'none'; form-action 'none';"));
    let opener = answer.header("cross-origin-opener-policy");
    assert_eq!(opener, "same-origin");
    assert!(answer.header("permissions-policy").contains("camera=()"));
}

/// The inline scripts of a page, as a Content-Security-Policy names them.
fn script_hashes(mut html: &str) -> Vec<String> {
    let mut hashes = Vec::new();
    while let Some((_, rest)) = html.split_once("<script>") {
        let (script, rest) = rest.split_once("</script>").expect("the script ends");
        let hash = base64::engine::general_purpose::STANDARD.encode(Sha256::digest(script));
        hashes.push(format!("'sha256-{hash}'"));
        html = rest;
    }
    hashes
}

#[service_test]
async fn the_docs_have_etags_and_if_none_match_gives_304(app: TestApp) {
    let plain = app.anonymous();
    for path in ["/openapi.json", "/openapi-3.0.json", "/docs"] {
        for caller in [plain.clone(), plain.with("Accept-Encoding", "gzip")] {
            let head = caller.send(Method::HEAD, path, None).await;
            assert_eq!(head.status, 200, "{path}");
            assert_eq!(head.header("cache-control"), "no-cache", "{path}");
            let tag = head.header("etag");
            assert!(tag.starts_with('"'), "{tag} is not strong");
            let answer = caller.with("If-None-Match", tag).get(path).await;
            assert_eq!((answer.status, answer.text.as_str()), (304, ""), "{path}");
            assert_eq!(answer.header("etag"), tag, "{path}");
            assert_eq!(answer.header("cache-control"), "no-cache", "{path}");
            let answer = caller.with("If-None-Match", "\"x\"").get(path).await;
            assert_eq!(answer.status, 200, "{path}");
        }
        let tag = async |caller: Client| caller.etag(path).await;
        let packed = plain.with("Accept-Encoding", "gzip");
        assert_ne!(tag(plain.clone()).await, tag(packed).await, "{path}");
    }
}

#[service_test]
async fn with_docs_off_neither_the_page_nor_the_document_is_served_404(app: TestApp) {
    let public = PublicPaths {
        docs: false,
        ..PublicPaths::ALL
    };
    let caller = Client::new(&listen(&app.app, router(&app.app, public)).await, None);
    for path in ["/docs", "/openapi.json", "/openapi-3.0.json"] {
        caller.get(path).await.not_found();
    }
    assert_eq!(caller.get("/healthz").await.status, 200);
    assert_eq!(caller.get("/metrics").await.status, 200);
}

#[service_test]
async fn a_first_visitor_of_the_root_or_the_api_is_sent_to_the_docs(app: TestApp) {
    let browser = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
    let browser = browser.build().expect("a client");
    for path in ["/", "/api"] {
        let response = browser.get(format!("{}{path}", app.address)).send().await;
        let response = response.expect("a response");
        assert_eq!(response.status(), 307, "{path}");
        let headers = response.headers();
        assert_eq!(headers["location"], "/docs", "{path}");
        let link = headers["link"].to_str().expect("text");
        assert!(link.contains("</openapi.json>; rel=\"service-desc\""));
        let refused = app.anonymous().post(path, serde_json::json!({})).await;
        refused.error(405, "method_not_allowed");
    }
    let public = PublicPaths {
        docs: false,
        ..PublicPaths::ALL
    };
    let hidden = listen(&app.app, router(&app.app, public)).await;
    for path in ["/", "/api"] {
        Client::new(&hidden, None).get(path).await.not_found();
    }
}

#[service_test]
async fn metrics_can_be_served_on_their_own_address(app: TestApp) {
    let public = PublicPaths {
        metrics: false,
        ..PublicPaths::ALL
    };
    let router = router(&app.app, public);
    let main = Client::new(&listen(&app.app, router).await, Some(app.admin_key()));
    main.get("/metrics").await.not_found();
    main.get("/api/status").await.ok();
    assert_eq!(main.get("/healthz").await.status, 200);

    let router = server::routes::metrics_router(&app.app);
    let apart = Client::new(&listen(&app.app, router).await, Some(app.admin_key()));
    assert_eq!(apart.get("/metrics").await.status, 200);
    for path in ["/api/status", "/healthz", "/docs", "/"] {
        apart.get(path).await.not_found();
    }
}
