//! Sign-ins that race with changes of the user.

use accounts::passwords::Waiter;
use reqwest::Method;
use serde_json::json;

use crate::support::{Answer, Client, TestApp, at_once, count, eventually, sign_in};

const SESSIONS: &str = "/api/sessions";

/// Signs anna in, and runs `action` while her password waits to be verified.
async fn during_sign_in(app: &TestApp, action: impl AsyncFnOnce()) -> Answer {
    let passwords = &app.app.users.passwords;
    let mut turns = Vec::new();
    for _ in 0..passwords.concurrency() {
        turns.push(
            passwords
                .queue(Waiter::Key)
                .expect("a place")
                .permit()
                .await
                .expect("a permit"),
        );
    }
    let admin = app.admin();
    let signing_in = tokio::spawn(async move { admin.post(SESSIONS, sign_in("anna")).await });
    eventually("the password waits for a hash", async || {
        passwords.waiting() == 1
    })
    .await;
    action().await;
    drop(turns);
    signing_in.await.expect("an answer")
}

#[service_test]
async fn a_sign_in_uses_the_state_after_the_password_is_verified(app: TestApp, admin: Client) {
    app.user("anna").await;
    during_sign_in(&app, async || {
        let body = json!({ "username": "ann" });
        admin.put("/api/users/1", body).await.ok();
    })
    .await
    .created();
    let body = json!({ "username": "anna" });
    admin.put("/api/users/1", body).await.ok();

    let refused = during_sign_in(&app, async || {
        drop(admin.post_empty("/api/users/1/block").await.ok())
    })
    .await;
    refused.error(403, "user_blocked");
    admin.post_empty("/api/users/1/unblock").await.ok();

    // Another password, set with SQL, because the API would also queue for a hash.
    let hash = "UPDATE users SET password_hash = 'another'";
    let refused = during_sign_in(&app, async || {
        app.app
            .kernel
            .core
            .db
            .run_sql(hash)
            .await
            .expect("another hash");
    });
    refused.await.error(422, "invalid_credentials");

    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    let refused =
        during_sign_in(&app, async || drop(admin.delete("/api/users/1").await.ok())).await;
    refused.error(422, "invalid_credentials");
    assert_eq!(app.number("SELECT COUNT(*) FROM user_devices").await, 0);
}

#[service_test]
async fn a_password_change_ends_concurrently_created_sessions(app: TestApp, admin: Client) {
    let id = app.user("anna").await;
    let path = format!("/api/users/{id}");
    let passwords = ["battery staple", "correct horse"];
    for round in 0..6 {
        // A new minute, so that the attempt limit is not reached.
        app.advance(60);
        let requests = (0..5).map(|number| {
            let (admin, path) = (admin.clone(), path.clone());
            let mut body = sign_in("anna");
            body["password"] = json!(passwords[round % 2]);
            let change = json!({ "password": passwords[(round + 1) % 2] });
            async move {
                if number == round % 5 {
                    admin.put(&path, change).await
                } else {
                    admin.post(SESSIONS, body).await
                }
            }
        });
        let answers = at_once(requests).await;
        assert_eq!(count(&answers, 200), 1);
        for answer in answers.iter().filter(|answer| answer.status != 200) {
            if answer.status == 201 {
                let made = answer.created();
                let token = made["session_token"].as_str().expect("a token");
                app.verify(token).await.error(422, "session_invalid");
            } else {
                answer.error(422, "invalid_credentials");
            }
        }
        let sessions = "SELECT COUNT(*) FROM user_sessions";
        assert_eq!(app.number(sessions).await, 0);
    }
}

#[service_test]
async fn a_deleted_user_keeps_no_concurrently_created_session(app: TestApp, admin: Client) {
    for round in 0..6 {
        let name = format!("user{round}");
        let id = app.user(&name).await;
        let requests = (0..5).map(|number| {
            let (admin, body) = (admin.clone(), sign_in(&name));
            async move {
                if number == round % 5 {
                    admin.delete(&format!("/api/users/{id}")).await
                } else {
                    admin.post(SESSIONS, body).await
                }
            }
        });
        let answers = at_once(requests).await;
        assert_eq!(count(&answers, 200), 1);
        for answer in answers.iter().filter(|answer| answer.status == 422) {
            answer.error(422, "invalid_credentials");
        }
        assert_eq!(count(&answers, 201) + count(&answers, 422), 4);
        assert_eq!(app.number("SELECT COUNT(*) FROM user_devices").await, 0);
        assert_eq!(app.number("SELECT COUNT(*) FROM user_sessions").await, 0);
    }
}

#[service_test]
async fn of_many_concurrent_sign_outs_one_ends_the_session(app: TestApp, admin: Client) {
    app.user("anna").await;
    for _ in 0..10 {
        let token = app.sign_in("anna").await;
        app.advance(60);
        let requests = (0..32).map(|number| {
            let (admin, body) = (admin.clone(), json!({ "token": token }));
            async move {
                match number % 8 {
                    0 => admin.post("/api/sessions/verify", body).await,
                    _ => admin.send(Method::DELETE, SESSIONS, Some(body)).await,
                }
            }
        });
        let answers = at_once(requests).await;
        let ended = answers
            .iter()
            .filter(|answer| answer.text.contains("Signed out"));
        assert_eq!(ended.count(), 1);
        for answer in answers.iter().filter(|answer| answer.status != 200) {
            answer.error(422, "session_invalid");
        }
    }
    let log = admin.get("/api/audit-log?action=sessions.delete").await;
    assert_eq!(log.header("x-total-count"), "10");
}

#[service_test]
async fn removing_a_device_ends_its_session_despite_concurrent_verifies(app: TestApp) {
    let admin = app.admin();
    app.user("anna").await;
    for round in 1..=6 {
        let token = app.sign_in("anna").await;
        // So that every verification writes the activity.
        app.advance(60);
        let requests = (0..12).map(|number| {
            let (admin, body) = (admin.clone(), json!({ "token": token }));
            async move {
                match number % 6 {
                    0 => admin.delete(&format!("/api/users/1/devices/{round}")).await,
                    _ => admin.post("/api/sessions/verify", body).await,
                }
            }
        });
        let answers = at_once(requests).await;
        for answer in &answers {
            match answer.status {
                404 => answer.not_found(),
                422 => drop(answer.error(422, "session_invalid")),
                _ => drop(answer.ok()),
            }
        }
        app.verify(&token).await.error(422, "session_invalid");
    }
}
