//! What happens to those who sign in while something else happens to them.

use reqwest::Method;
use serde_json::json;

use crate::support::{Answer, TestApp, at_once, count, eventually, sign_in};

const SESSIONS: &str = "/api/sessions";

/// Signs anna in, and does something while her password waits to be looked at.
async fn meanwhile(app: &TestApp, something: impl AsyncFnOnce()) -> Answer {
    let passwords = &app.app.passwords;
    let mut turns = Vec::new();
    for _ in 0..passwords.concurrency() {
        turns.push(passwords.permit().await.expect("a permit"));
    }
    let admin = app.admin();
    let signing_in = tokio::spawn(async move { admin.post(SESSIONS, sign_in("anna")).await });
    eventually("the password waits for a turn", async || {
        passwords.waiting() == 1
    })
    .await;
    something().await;
    drop(turns);
    signing_in.await.expect("an answer")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_counts_is_how_things_stand_at_the_end() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    meanwhile(&app, async || {
        let body = json!({ "username": "ann" });
        admin.put("/api/users/1", body).await.ok();
    })
    .await
    .created();
    admin
        .put("/api/users/1", json!({ "username": "anna" }))
        .await
        .ok();

    let refused = meanwhile(&app, async || {
        drop(admin.act("/api/users/1/block").await.ok())
    })
    .await;
    refused.error(403, "user_blocked");
    admin.act("/api/users/1/unblock").await.ok();

    // Another password, set in the database since setting one would wait for a turn as well.
    let hash = "UPDATE users SET password_hash = 'another'";
    let refused = meanwhile(&app, async || {
        app.app.db.run_sql(hash).await.expect("another hash");
    });
    refused.await.error(422, "invalid_credentials");

    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    let refused = meanwhile(&app, async || drop(admin.delete("/api/users/1").await.ok())).await;
    refused.error(422, "invalid_credentials");
    assert_eq!(app.number("SELECT COUNT(*) FROM user_devices").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_stays_signed_in_with_a_password_of_the_past() {
    let app = TestApp::start().await;
    let admin = app.admin();
    let id = app.user("anna").await;
    let path = format!("/api/users/{id}");
    let passwords = ["battery staple", "correct horse"];
    for round in 0..6 {
        // Within a minute, too many at once are guesses.
        app.pass(60);
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
        let answers = at_once(requests.collect::<Vec<_>>()).await;
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

#[tokio::test(flavor = "multi_thread")]
async fn nobody_signs_in_who_is_being_deleted() {
    let app = TestApp::start().await;
    let admin = app.admin();
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
        let answers = at_once(requests.collect::<Vec<_>>()).await;
        assert_eq!(count(&answers, 200), 1);
        for answer in answers.iter().filter(|answer| answer.status == 422) {
            answer.error(422, "invalid_credentials");
        }
        assert_eq!(count(&answers, 201) + count(&answers, 422), 4);
        assert_eq!(app.number("SELECT COUNT(*) FROM user_devices").await, 0);
        assert_eq!(app.number("SELECT COUNT(*) FROM user_sessions").await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_ends_once() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    for _ in 0..10 {
        let token = app.sign_in("anna").await;
        app.pass(60);
        let requests = (0..32).map(|number| {
            let (admin, body) = (admin.clone(), json!({ "token": token }));
            async move {
                match number % 8 {
                    0 => admin.post("/api/sessions/verify", body).await,
                    _ => admin.send(Method::DELETE, SESSIONS, Some(body)).await,
                }
            }
        });
        let answers = at_once(requests.collect::<Vec<_>>()).await;
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

#[tokio::test(flavor = "multi_thread")]
async fn a_device_that_is_removed_takes_its_session_with_it() {
    let app = TestApp::start().await;
    let admin = app.admin();
    app.user("anna").await;
    for round in 1..=6 {
        let token = app.sign_in("anna").await;
        // So that every verification has something to write.
        app.pass(60);
        let requests = (0..12).map(|number| {
            let (admin, body) = (admin.clone(), json!({ "token": token }));
            async move {
                match number % 6 {
                    0 => admin.delete(&format!("/api/users/1/devices/{round}")).await,
                    _ => admin.post("/api/sessions/verify", body).await,
                }
            }
        });
        let answers = at_once(requests.collect::<Vec<_>>()).await;
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
