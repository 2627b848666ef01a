use accounts::passwords::Waiter;
use serde_json::{Value, json};
use server::maintenance::Rules;
use sha2::{Digest, Sha256};

use crate::support::{Answer, Client, TestApp, at_once, count, new_user, sign_in};

const SESSIONS: &str = "/api/sessions";
const ATTEMPTS: &str = "SELECT COUNT(*) FROM sign_in_attempts";

async fn guess(caller: &Client, login: &str) -> Answer {
    let mut body = sign_in(login);
    body["password"] = json!("a guess");
    caller.post(SESSIONS, body).await
}

/// Guesses for a person at this address.
async fn guess_from(caller: &Client, login: &str, client_ip: &str) -> Answer {
    let mut body = sign_in(login);
    body["password"] = json!("a guess");
    body["client_ip"] = json!(client_ip);
    caller.post(SESSIONS, body).await
}

/// Attempts that were made a second ago, without the work of making them.
async fn fill(app: &TestApp, parts: [&str; 3], count: i64) {
    let subject: [u8; 32] = Sha256::digest(parts.join("\n")).into();
    let now = app.core().clock.now();
    let attempts = (now.unix() - 1).to_be_bytes().repeat(count as usize);
    let mut tx = app.core().db.begin().await.expect("a transaction");
    let sql = "INSERT INTO sign_in_attempts (subject, latest, attempts) VALUES ($1, $2, $3)
               ON CONFLICT (subject) DO UPDATE SET attempts = excluded.attempts";
    let params = db::params![&subject, now, &attempts];
    tx.execute(sql, params).await.expect("attempts");
    tx.commit().await.expect("committed");
}

#[track_caller]
fn assert_429(answer: &Answer, retry_after: &str) {
    answer.error(429, "too_many_attempts");
    assert_eq!(answer.header("retry-after"), retry_after);
}

#[service_test]
async fn the_sixth_attempt_within_a_minute_gets_429(app: TestApp, admin: Client) {
    app.user("anna").await;
    // The other login does not exist.
    for login in [["anna", "ANNA"], ["nobody", "NOBODY"]] {
        for number in 0..5 {
            let answer = guess(&admin, login[number % 2]).await;
            answer.error(422, "invalid_credentials");
            app.advance(2);
        }
        let hashed = app.app.users.passwords.hashed();
        for login in login {
            assert_429(&guess(&admin, login).await, "50");
            assert_429(&admin.post(SESSIONS, sign_in(login)).await, "50");
        }
        app.advance(49);
        assert_429(&guess(&admin, login[0]).await, "1");
        assert_eq!(app.app.users.passwords.hashed(), hashed, "no work was done");

        // The first attempt has left the window, so one is free; the second leaves two seconds
        // later.
        app.advance(1);
        let answer = guess(&admin, login[0]).await;
        answer.error(422, "invalid_credentials");
        assert_429(&guess(&admin, login[1]).await, "2");
        assert_eq!(app.app.users.passwords.hashed(), hashed + 1);
    }
    // Other users are not affected.
    app.user("berta").await;
    app.sign_in("berta").await;
    app.advance(60);
    app.sign_in("anna").await;
    let log = admin.get("/api/audit-log?action=sessions.create").await;
    assert_eq!(log.header("x-total-count"), "2");
    // The refused attempts have no entry.
    let log = admin.get("/api/audit-log?action=sessions.fail").await;
    assert_eq!(log.header("x-total-count"), "12");
}

#[service_test]
async fn a_correct_password_takes_back_its_own_attempt_and_no_other(app: TestApp, admin: Client) {
    app.user("anna").await;
    for _ in 0..10 {
        app.sign_in("anna").await;
    }
    assert_eq!(app.number(ATTEMPTS).await, 0);
    for _ in 0..5 {
        let answer = guess(&admin, "anna").await;
        answer.error(422, "invalid_credentials");
    }
    assert_429(&admin.post(SESSIONS, sign_in("anna")).await, "60");
    app.advance(60);
    for _ in 0..4 {
        let answer = guess(&admin, "anna").await;
        answer.error(422, "invalid_credentials");
        app.sign_in("anna").await;
    }
    let answer = guess(&admin, "anna").await;
    answer.error(422, "invalid_credentials");
    assert_429(&guess(&admin, "anna").await, "60");
}

#[service_test]
async fn of_forty_concurrent_attempts_five_are_checked_and_the_others_get_429(app: TestApp) {
    let admin = app.admin();
    app.user("anna").await;
    for login in ["anna", "nobody"] {
        let hashed = app.app.users.passwords.hashed();
        let requests = (0..40).map(|_| {
            let admin = admin.clone();
            async move { guess(&admin, login).await }
        });
        let answers = at_once(requests).await;
        assert_eq!((count(&answers, 422), count(&answers, 429)), (5, 35));
        assert_eq!(app.app.users.passwords.hashed(), hashed + 5);
    }
}

#[service_test]
async fn instances_share_the_attempt_limit_429(app: TestApp) {
    app.user("anna").await;
    let second = app.second_instance().await;
    let callers = [app.admin(), second.holder(app.admin_key())];
    let hashed = || app.app.users.passwords.hashed() + second.app.users.passwords.hashed();
    let before = hashed();
    let requests = (0..50).map(|number| {
        let caller = callers[number % 2].clone();
        async move { guess(&caller, "anna").await }
    });
    let answers = at_once(requests).await;
    assert_eq!((count(&answers, 422), count(&answers, 429)), (5, 45));
    assert_eq!(hashed(), before + 5);
    for caller in &callers {
        assert_429(&caller.post(SESSIONS, sign_in("anna")).await, "60");
    }
}

#[service_test]
async fn old_attempts_are_deleted(app: TestApp, admin: Client) {
    app.user("anna").await;
    let answer = guess(&admin, "anna").await;
    answer.error(422, "invalid_credentials");
    app.advance(30);
    let answer = guess(&admin, "nobody").await;
    answer.error(422, "invalid_credentials");
    for (seconds, left) in [(29, 4), (1, 2), (30, 0)] {
        app.advance(seconds);
        app.maintain(Rules::default()).await;
        assert_eq!(app.number(ATTEMPTS).await, left);
    }
}

#[service_test]
async fn five_failures_from_one_network_do_not_lock_a_login_out_elsewhere_429(app: TestApp) {
    let admin = app.admin();
    app.user("anna").await;
    for _ in 0..5 {
        let answer = guess_from(&admin, "anna", "2001:db8:1:2::1").await;
        answer.error(422, "invalid_credentials");
    }
    // The same /64.
    let mut body = sign_in("ANNA");
    body["client_ip"] = json!("2001:db8:1:2:ffff::9");
    assert_429(&admin.post(SESSIONS, body.clone()).await, "60");
    for elsewhere in ["2001:db8:1:3::1", "192.0.2.7", "::ffff:192.0.2.8"] {
        body["client_ip"] = json!(elsewhere);
        admin.post(SESSIONS, body.clone()).await.created();
    }
    // Without an address the network is that of the API client.
    app.sign_in("anna").await;
}

#[service_test]
async fn username_and_email_of_a_user_are_counted_together(app: TestApp, admin: Client) {
    app.user("anna").await;
    for login in [
        "anna",
        "anna@example.com",
        "ANNA",
        "Anna@Example.com",
        "anna",
    ] {
        let answer = guess(&admin, login).await;
        answer.error(422, "invalid_credentials");
    }
    for login in ["anna", "anna@example.com"] {
        assert_429(&admin.post(SESSIONS, sign_in(login)).await, "60");
    }
}

#[service_test]
async fn fifty_failures_from_one_network_over_all_logins_give_429(app: TestApp, admin: Client) {
    app.user("anna").await;
    fill(&app, ["network", "192.0.2.7", ""], 49).await;
    let answer = guess_from(&admin, "one", "192.0.2.7").await;
    answer.error(422, "invalid_credentials");
    assert_429(&guess_from(&admin, "two", "192.0.2.7").await, "59");
    let answer = guess_from(&admin, "two", "192.0.2.8").await;
    answer.error(422, "invalid_credentials");

    // A right password does not count.
    app.advance(60);
    fill(&app, ["network", "192.0.2.7", ""], 49).await;
    let mut body = sign_in("anna");
    body["client_ip"] = json!("192.0.2.7");
    for _ in 0..3 {
        admin.post(SESSIONS, body.clone()).await.created();
    }
}

#[service_test]
async fn two_hundred_failures_from_one_ipv6_48_over_all_logins_give_429(app: TestApp) {
    let admin = app.admin();
    fill(&app, ["customer", "2001:db8:1::", ""], 199).await;
    let answer = guess_from(&admin, "one", "2001:db8:1:2::1").await;
    answer.error(422, "invalid_credentials");
    assert_429(&guess_from(&admin, "two", "2001:db8:1:3::1").await, "59");
    for elsewhere in ["2001:db8:2::1", "192.0.2.7"] {
        let answer = guess_from(&admin, "two", elsewhere).await;
        answer.error(422, "invalid_credentials");
    }
}

#[service_test]
async fn without_client_ip_the_network_of_the_api_client_is_not_limited(app: TestApp) {
    let admin = app.admin();
    fill(&app, ["network", "127.0.0.1", ""], 50).await;
    guess(&admin, "one").await.error(422, "invalid_credentials");
    // It is limited only for a person who is there.
    assert_429(&guess_from(&admin, "one", "127.0.0.1").await, "59");
}

#[service_test]
async fn a_hundred_failures_for_one_login_from_all_networks_give_429(app: TestApp, admin: Client) {
    fill(&app, ["account", "login anna", ""], 99).await;
    let answer = guess_from(&admin, "anna", "192.0.2.1").await;
    answer.error(422, "invalid_credentials");
    assert_429(&guess_from(&admin, "ANNA", "192.0.2.2").await, "59");
    assert_429(&guess(&admin, "anna").await, "59");
    let answer = guess(&admin, "berta").await;
    answer.error(422, "invalid_credentials");
}

#[service_test]
async fn a_clock_set_back_does_not_prolong_a_429(app: TestApp, admin: Client) {
    app.user("anna").await;
    for _ in 0..5 {
        let answer = guess(&admin, "anna").await;
        answer.error(422, "invalid_credentials");
    }
    assert_429(&guess(&admin, "anna").await, "60");
    app.advance(-24 * 60 * 60);
    app.sign_in("anna").await;
}

#[service_test]
async fn an_invalid_client_ip_gives_422(app: TestApp) {
    for wrong in [
        json!("192.0.2"),
        json!("192.0.2.0/24"),
        json!("::1%eth0"),
        json!(""),
    ] {
        let mut body = sign_in("anna");
        body["client_ip"] = wrong;
        let answer = app.admin().post(SESSIONS, body).await;
        answer.invalid(&[("client_ip", "must be an IPv4 or IPv6 address")]);
    }
}

#[service_test]
async fn failures_are_audited_with_their_address_and_without_the_login(app: TestApp) {
    let admin = app.admin();
    app.user("anna").await;
    guess_from(&admin, "anna", "192.0.2.7").await;
    guess(&admin, "my-password-in-the-wrong-field").await;
    admin.post_empty("/api/users/1/block").await.ok();
    let answer = admin.post(SESSIONS, sign_in("anna")).await;
    answer.error(403, "user_blocked");
    let log = admin.get("/api/audit-log?action=sessions.fail").await.ok();
    let entries: Vec<&Value> = log["audit_log"]
        .as_array()
        .expect("a list")
        .iter()
        .collect();
    let after: Vec<&Value> = entries.iter().map(|entry| &entry["after"]).collect();
    assert_eq!(
        after,
        [
            &json!({ "user_id": 1, "client_ip": null, "code": "user_blocked" }),
            &json!({ "user_id": null, "client_ip": null, "code": "invalid_credentials" }),
            &json!({ "user_id": 1, "client_ip": "192.0.2.7", "code": "invalid_credentials" }),
        ]
    );
    for entry in entries {
        assert_eq!(
            (&entry["ip"], &entry["key_id"]),
            (&json!("127.0.0.1"), &json!(1))
        );
        assert_eq!(
            (&entry["resource"], &entry["resource_id"]),
            (&json!("sessions"), &json!(0))
        );
    }
}

#[service_test]
async fn of_60_entries_of_failures_a_minute_10_are_kept_for_operators(app: TestApp) {
    let admin = app.admin();
    app.operator("anna", &[]).await;
    let entries = async || admin.total("/api/audit-log?action=sessions.fail").await;
    for number in 0..52 {
        let answer = guess(&admin, &format!("nobody{number}")).await;
        answer.error(422, "invalid_credentials");
    }
    assert_eq!(entries().await, "50");
    guess(&admin, "anna")
        .await
        .error(422, "invalid_credentials");
    assert_eq!(entries().await, "51");
    let entry = admin.newest_audit_entry().await;
    assert_eq!(
        (&entry["after"]["user_id"], &entry["after"]["omitted"]),
        (&json!(1), &json!(2))
    );
}

#[service_test]
async fn a_full_queue_of_passwords_gives_503_at_once_and_counts_no_attempt(app: TestApp) {
    let admin = app.admin();
    app.user("anna").await;
    let passwords = &app.app.users.passwords;
    let places: Vec<_> = std::iter::from_fn(|| passwords.queue(Waiter::Key).ok()).collect();
    assert_eq!(places.len(), 48);
    let hashed = passwords.hashed();
    let busy = |answer: Answer| {
        answer.error(503, "busy");
        assert_eq!(answer.header("retry-after"), "1");
    };
    busy(admin.post(SESSIONS, sign_in("anna")).await);
    busy(admin.post("/api/users", new_user("berta")).await);
    let body = json!({ "password": "correct horse" });
    busy(admin.put("/api/users/1", body).await);
    assert_eq!(passwords.hashed(), hashed);
    assert_eq!(app.number(ATTEMPTS).await, 0);
    drop(places);
    app.sign_in("anna").await;
}
