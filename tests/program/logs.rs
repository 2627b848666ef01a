use serde_json::{Value, json};

use crate::support::{ADMIN_KEY, Home};

#[tokio::test]
async fn each_request_is_logged_as_one_json_line() {
    let home = Home::new().await;
    let service = home.start().await;
    let admin = service.admin();
    admin.get("/api/roles").await.ok();
    let role = json!({ "name": "Moderator" });
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let parent = format!("00-{trace}-00f067aa0ba902b7-01");
    let mine = admin
        .with("X-Request-Id", "mine-1")
        .with("traceparent", &parent);
    mine.post("/api/roles", role).await.created();
    let invalid = admin.with("traceparent", &format!("{parent}\" injected"));
    invalid.get("/api/roles/1").await.ok();
    admin.get("/api/roles/2?x=1").await.expect(404);
    let refused = service.anonymous().get("/api/roles").await;
    let refused = refused.expect(401);
    service.anonymous().get("/nowhere/at/all").await.expect(404);
    admin.put("/api/status", json!({})).await.expect(405);

    let ended = service.stop().await;
    ended.ok();
    let parsed = ended.log();
    let lines = ended.stderr.lines().count();
    assert_eq!(parsed.len(), lines, "all of it is JSON: {}", ended.stderr);
    for line in &parsed {
        assert!(line["timestamp"].is_string(), "{line}");
        assert!(line["level"].is_string(), "{line}");
    }
    let requests: Vec<&Value> = parsed
        .iter()
        .filter(|line| line["target"] == "request")
        .collect();
    let seen: Vec<(&str, &str, i64, Option<i64>)> = requests
        .iter()
        .map(|line| {
            (
                line["method"].as_str().expect("a method"),
                line["route"].as_str().expect("a route"),
                line["status"].as_i64().expect("a status"),
                line["key_id"].as_i64(),
            )
        })
        .collect();
    assert_eq!(
        seen,
        [
            ("GET", "/api/roles", 200, Some(1)),
            ("POST", "/api/roles", 201, Some(1)),
            ("GET", "/api/roles/{id}", 200, Some(1)),
            ("GET", "/api/roles/{id}", 404, Some(1)),
            ("GET", "/api/roles", 401, None),
            ("GET", "unmatched", 404, None),
            ("PUT", "/api/status", 405, None),
        ]
    );
    for line in &requests {
        let ms = line["ms"].as_f64().expect("a time");
        assert!((0.0..30_000.0).contains(&ms), "{line}");
        assert_ne!(line["request_id"], "", "{line}");
    }
    assert_eq!(requests[1]["client_request_id"], "mine-1");
    assert_ne!(requests[1]["request_id"], "mine-1");
    assert!(requests[0].get("client_request_id").is_none());
    assert_eq!(requests[1]["trace_id"], trace);
    for other in [0, 2] {
        assert!(requests[other].get("trace_id").is_none());
    }
    assert_eq!(requests[4]["request_id"], refused["request_id"]);
}

#[tokio::test]
async fn a_request_line_has_the_address_and_the_user_agent_of_the_client() {
    let home = Home::new().await;
    let service = home.start_with(&["--trusted-proxies", "127.0.0.1"]).await;
    let anonymous = service.anonymous();
    let long = format!("Bot/1 {}", "x".repeat(500));
    for agent in [
        "curl/8.5.0",
        "say \"hi\"\\",
        "\u{9b}31mBot/1",
        &long,
        ADMIN_KEY,
    ] {
        let client = anonymous.with("User-Agent", agent);
        let client = client.with("X-Forwarded-For", "203.0.113.9");
        client.get("/api/roles").await.expect(401);
    }
    anonymous.get("/api/roles").await.expect(401);
    let ended = service.stop().await;
    ended.ok();
    let log = ended.log();
    let requests = log.iter().filter(|line| line["target"] == "request");
    let requests: Vec<&Value> = requests.collect();
    let agents: Vec<&Value> = requests.iter().map(|line| &line["user_agent"]).collect();
    let expected = json!([
        "curl/8.5.0",
        "say \"hi\"\\",
        "\\xc2\\x9b31mBot/1",
        &long[..256],
        "***",
        null
    ]);
    assert_eq!(json!(agents), expected);
    for (i, line) in requests.iter().enumerate() {
        let ip = if i < 5 { "203.0.113.9" } else { "127.0.0.1" };
        assert_eq!(line["ip"], ip, "{line}");
        assert_eq!(line["message"], "request answered", "{line}");
    }
}

#[tokio::test]
async fn logs_can_be_text() {
    let home = Home::new().await;
    let service = home.start_with(&["--log-format", "text"]).await;
    service.admin().get("/api/roles").await.ok();
    let ended = service.stop().await;
    ended.ok();
    assert_eq!(ended.log(), Vec::<Value>::new(), "{}", ended.stderr);
    let line = ended.stderr.lines().find(|line| line.contains("request:"));
    let line = line.expect("a line for the request");
    for part in [
        " INFO ",
        "method=\"GET\"",
        "route=\"/api/roles\"",
        "status=200",
        "key_id=1",
    ] {
        assert!(line.contains(part), "no {part} in {line}");
    }
    assert!(
        !ended.stderr.contains('\u{1b}'),
        "colours are for terminals"
    );
}

#[tokio::test]
async fn no_color_switches_colours_off_on_a_terminal() {
    let home = Home::new().await;
    // For documentation only: the log warns that it is public, and the start fails.
    let args = ["--listen", "192.0.2.1:8080"];
    for (value, is_coloured) in [("", true), ("1", false)] {
        let call = home.steward(&args).env("NO_COLOR", value).on_terminal();
        let ended = call.end().await;
        assert!(ended.stdout.contains(" WARN"), "{ended:?}");
        let has_escapes = ended.stdout.contains("\u{1b}[");
        assert_eq!(has_escapes, is_coloured, "{ended:?}");
    }
}

#[tokio::test]
async fn the_level_limits_what_is_logged() {
    let home = Home::new().await;
    let log = async |level: &str| {
        let call = home.steward(&[]).env("STEWARD_LOG_LEVEL", level);
        let service = call.env("STEWARD_ADMIN_KEY", ADMIN_KEY).serve().await;
        service.admin().get("/api/roles").await.ok();
        let ended = service.stop().await;
        ended.ok();
        ended.log()
    };
    assert_eq!(log("warn").await, Vec::<Value>::new());
    assert_eq!(log("error").await, Vec::<Value>::new());
    for level in ["info", "debug", "trace"] {
        let lines = log(level).await;
        let requests = lines.iter().filter(|line| line["target"] == "request");
        assert_eq!(requests.count(), 1, "{level}: {lines:?}");
    }
}

#[tokio::test]
async fn a_query_of_a_game_server_on_request_is_logged_with_key_and_address() {
    let home = Home::new().await;
    let mut service = home.start().await;
    let admin = service.admin();
    let body = json!({
        "name": "Dust", "ip": "192.0.2.7", "port": 27015, "game": "cs2", "rcon_password": "hunter2",
    });
    admin.post("/api/servers", body).await.created();
    let answer = admin.post("/api/servers/1/query", json!({})).await.ok();
    // The tests name loopback networks only.
    assert_eq!(answer["live"]["error"], "forbidden");
    let words = "querying a game server on request";
    let line = service.logged(|line| line["message"] == words).await;
    assert!(line["request_id"].is_string(), "{line}");
    assert_eq!(line["key_id"], 1);
    assert_eq!(line["server_id"], 1);
    assert_eq!(line["address"], "192.0.2.7:27015");
    service.stop().await.ok();
}

#[tokio::test]
async fn a_failed_sign_in_is_logged_with_the_user_id_alone() {
    let home = Home::new().await;
    let service = home.start().await;
    let admin = service.admin();
    let user = json!({
        "username": "anna", "email": "anna@example.com", "password": "battery staple",
    });
    admin.post("/api/users", user).await.created();
    let sign_in = async |login: &str, password: &str| {
        let body = json!({
            "login": login, "password": password, "device_name": "Phone", "user_agent": "Lynx",
        });
        let mine = admin.with("X-Request-Id", login);
        mine.post("/api/sessions", body).await.status
    };
    assert_eq!(sign_in("anna", "battery staple").await, 201);
    assert_eq!(sign_in("nobody", "battery staple").await, 422);
    for status in [422, 422, 422, 422, 422, 429] {
        assert_eq!(sign_in("anna", "a wrong guess").await, status);
    }
    let ended = service.stop().await;
    ended.ok();
    let log = ended.log();
    let refused: Vec<(Option<i64>, &str, &str)> = log
        .iter()
        .filter(|line| line["message"] == "a user was not signed in")
        .map(|line| {
            let outcome = line["outcome"].as_str().expect("an outcome");
            let request = line["client_request_id"].as_str().expect("an id");
            (line["user_id"].as_i64(), outcome, request)
        })
        .collect();
    let mut expected = vec![(None, "invalid", "nobody")];
    expected.extend([(Some(1), "invalid", "anna"); 5]);
    expected.push((Some(1), "throttled", "anna"));
    assert_eq!(refused, expected);
    for secret in ["example.com", "battery staple", "a wrong guess", "sts_"] {
        assert!(!ended.stderr.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn commands_print_no_log_lines() {
    let home = Home::new().await;
    let ended = home.run(&["key", "create", "--name", "K", "--all"]).await;
    ended.ok();
    let lines: Vec<&str> = ended.stderr.lines().collect();
    assert_eq!(
        lines,
        ["Created key 1. Its value is shown only this once:"],
        "no log in between"
    );
}
