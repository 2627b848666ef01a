//! RCON commands.

use game_servers::servers::Networks;
use game_servers::servers::live::Settings;
use rcon::testing::Behaviour;
use serde_json::{Value, json};

use crate::support::{
    Client, TestApp, assert_fields, at_once, count, eventually, server_with_console,
};

fn path(id: i64) -> String {
    format!("/api/servers/{id}/rcon")
}

async fn entries(admin: &Client) -> Vec<Value> {
    let log = admin.get("/api/audit-log?action=servers.rcon").await.ok();
    log["audit_log"].as_array().expect("a list").clone()
}

#[service_test]
async fn a_command_is_run_and_its_output_returned(admin: Client) {
    let (server, id) = server_with_console(&admin, Behaviour::Valve).await;

    let body = json!({ "command": "echo hello wörld" });
    let reply = admin.post(&path(id), body).await.ok();
    assert_fields(&reply, &["message", "answer", "truncated"]);
    assert_eq!(reply["answer"], "hello wörld");
    assert_eq!(reply["truncated"], false);

    let long = admin
        .post(&path(id), json!({ "command": "fill 65536" }))
        .await;
    let long = long.ok()["answer"].as_str().expect("text").len();
    assert_eq!(long, 65536);
    let cut = admin
        .post(&path(id), json!({ "command": "fill 70000" }))
        .await;
    let cut = cut.ok();
    assert_eq!(cut["answer"].as_str().expect("text").len(), 65536);
    assert_eq!(cut["truncated"], true);
    let expected = ["echo hello wörld", "fill 65536", "fill 70000"];
    assert_eq!(server.commands(), expected);
}

#[service_test]
async fn every_command_leaves_an_audit_entry_even_if_it_failed(app: TestApp, admin: Client) {
    let (server, id) = server_with_console(&admin, Behaviour::Valve).await;
    let (key_id, operator) = app.key(&["admin.servers.rcon"]).await;

    let body = json!({ "command": "status" });
    operator.post(&path(id), body).await.ok();
    server.stop().await;
    let answer = operator.post(&path(id), json!({ "command": "quit" })).await;
    answer.error(502, "rcon_no_connection");

    let entries = entries(&admin).await;
    let commands: Vec<&Value> = entries.iter().map(|entry| &entry["after"]).collect();
    let expected = [json!({ "command": "quit" }), json!({ "command": "status" })];
    assert_eq!(commands, expected.iter().collect::<Vec<_>>());
    for entry in &entries {
        assert_eq!(entry["key_id"], key_id);
        assert_eq!(entry["resource_id"], id);
        assert_eq!(entry["before"], json!({}));
    }
}

#[service_test]
async fn each_failure_has_its_own_code_422_502(admin: Client) {
    for (behaviour, code) in [
        (Behaviour::ClosesAtOnce, "rcon_closed"),
        (Behaviour::ClosesMidAnswer, "rcon_closed"),
        (Behaviour::NotRcon, "rcon_protocol"),
        (Behaviour::SilentAfterLogin, "rcon_timeout"),
    ] {
        let (_server, id) = server_with_console(&admin, behaviour).await;
        let body = json!({ "command": "echo a long text" });
        admin.post(&path(id), body).await.error(502, code);
    }
    let (server, id) = server_with_console(&admin, Behaviour::Valve).await;
    let wrong = json!({ "rcon_password": "hunter3" });
    admin.put(&format!("/api/servers/{id}"), wrong).await.ok();
    let answer = admin.post(&path(id), json!({ "command": "status" })).await;
    answer.error(422, "rcon_wrong_password");

    let answer = admin.post_empty(&format!("/api/servers/{id}/toggle")).await;
    answer.ok();
    let answer = admin.post(&path(id), json!({ "command": "status" })).await;
    answer.error(422, "server_disabled");
    assert_eq!(server.commands(), Vec::<String>::new());
    assert_eq!(entries(&admin).await.len(), 5, "the disabled one got none");
}

#[service_test]
async fn a_password_in_a_command_is_masked_in_the_audit_log_but_sent(admin: Client) {
    let (server, id) = server_with_console(&admin, Behaviour::Valve).await;
    let command = "echo hello; sv_password hunter3; +set rcon_password hunter4 +map x";
    let body = json!({ "command": command });
    admin.post(&path(id), body).await.ok();
    assert_eq!(server.commands(), [command]);
    let masked = "echo hello; sv_password ***; +set rcon_password *** +map x";
    let entry = entries(&admin).await.remove(0);
    assert_eq!(entry["after"], json!({ "command": masked }));
}

#[service_test]
async fn no_command_is_sent_when_querying_is_disabled_or_the_network_not_allowed() {
    let elsewhere = ["127.0.0.2".parse().expect("a network")];
    let elsewhere = elsewhere.into_iter().collect();
    for (settings, code) in [
        (
            Settings {
                enabled: false,
                ..Settings::default()
            },
            "server_query_off",
        ),
        (
            Settings {
                networks: Networks::Named(elsewhere),
                ..Settings::default()
            },
            "server_forbidden",
        ),
    ] {
        let app = TestApp::start_with_live_settings(settings).await;
        let admin = app.admin();
        let (server, id) = server_with_console(&admin, Behaviour::Valve).await;
        let answer = admin.post(&path(id), json!({ "command": "status" })).await;
        answer.error(422, code);
        assert_eq!(server.commands(), Vec::<String>::new());
        assert_eq!(entries(&admin).await, Vec::<Value>::new());
    }
}

#[service_test]
async fn a_command_of_more_than_one_line_gives_422(admin: Client) {
    let (server, id) = server_with_console(&admin, Behaviour::Valve).await;
    let rule = "must be 1 to 1000 characters, none of them control characters";
    for bad in ["", "status\nquit", "\u{7f}", &"x".repeat(1001)] {
        let answer = admin.post(&path(id), json!({ "command": bad })).await;
        answer.invalid(&[("command", rule)]);
    }
    let answer = admin.post(&path(id), json!({})).await;
    answer.invalid(&[("command", "is required")]);
    assert_eq!(server.commands(), Vec::<String>::new());
    assert_eq!(entries(&admin).await, Vec::<Value>::new());

    let longest = "x".repeat(1000);
    let answer = admin.post(&path(id), json!({ "command": longest })).await;
    answer.ok();
    assert_eq!(server.commands(), [longest]);
}

#[service_test]
async fn concurrent_requests_with_one_idempotency_key_run_a_command_once(admin: Client) {
    let (server, id) = server_with_console(&admin, Behaviour::NoEmptyAnswer).await;
    // The server does not answer this command, so the first request takes long.
    let body = json!({ "command": "give gordon 100" });
    let answers = at_once((0..20).map(|_| {
        let caller = admin.with("Idempotency-Key", "gift");
        let (path, body) = (path(id), body.clone());
        async move { caller.post(&path, body).await }
    }));
    let answers = answers.await;
    assert_eq!(count(&answers, 200), 20);
    let replays = answers
        .iter()
        .filter(|answer| answer.has_header("idempotent-replayed"));
    assert_eq!(replays.count(), 19);
    assert_eq!(server.commands(), ["give gordon 100"]);
    assert_eq!(entries(&admin).await.len(), 1);
}

#[service_test]
async fn a_failed_command_can_be_retried_with_its_idempotency_key(admin: Client) {
    let (server, id) = server_with_console(&admin, Behaviour::Valve).await;
    let wrong = json!({ "rcon_password": "hunter3" });
    admin.put(&format!("/api/servers/{id}"), wrong).await.ok();
    let caller = admin.with("Idempotency-Key", "again");
    let body = || json!({ "command": "status" });
    let answer = caller.post(&path(id), body()).await;
    answer.error(422, "rcon_wrong_password");

    let right = json!({ "rcon_password": "hunter2" });
    admin.put(&format!("/api/servers/{id}"), right).await.ok();
    let answer = caller.post(&path(id), body()).await;
    assert!(!answer.has_header("idempotent-replayed"));
    answer.ok();
    let again = caller.post(&path(id), body()).await;
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!(server.commands(), ["status"]);
}

#[service_test]
async fn a_command_that_may_have_run_gives_409_under_its_idempotency_key(admin: Client) {
    let (server, id) = server_with_console(&admin, Behaviour::ClosesMidAnswer).await;
    let caller = admin.with("Idempotency-Key", "unsure");
    let body = || json!({ "command": "echo a long enough answer" });
    let answer = caller.post(&path(id), body()).await;
    answer.error(502, "rcon_closed");
    let answer = caller.post(&path(id), body()).await;
    answer.error(409, "outcome_unknown");
    assert_eq!(server.commands().len(), 1);
}

#[service_test]
async fn an_interrupted_command_gives_409_under_its_idempotency_key(admin: Client) {
    let (server, id) = server_with_console(&admin, Behaviour::SilentAfterLogin).await;
    let caller = admin.with("Idempotency-Key", "lost");
    let body = json!({ "command": "status" });
    let request = {
        let (caller, path, body) = (caller.clone(), path(id), body.clone());
        tokio::spawn(async move { caller.post(&path, body).await })
    };
    eventually("the command is recorded", async || {
        entries(&admin).await.len() == 1
    })
    .await;
    // The client disconnects before the reply is stored.
    request.abort();
    server.stop().await;
    let answer = caller.post(&path(id), body).await;
    answer.error(409, "outcome_unknown");
}
