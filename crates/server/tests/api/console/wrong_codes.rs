//! The number of wrong codes of a second factor that are examined.

use kernel::types::IpNetworks;
use serde_json::{Value, json};

use super::two_factor::{code, enrol, with_code};
use crate::support::{Answer, Client, SESSION, TestApp, at_once, console_sign_in, cookie, sign_in};

const EXAMINED: &str = "SELECT codes FROM wrong_codes";

/// A service behind a proxy, with an operator who has a second factor; and its secret.
async fn with_factor() -> (TestApp, String) {
    let proxy = IpNetworks::from_stored("127.0.0.1");
    let app = TestApp::start_with(|limits| limits.trusted_proxies = proxy).await;
    app.operator("anna", &[]).await;
    let anna = app.signed_in("anna").await;
    let (secret, _) = enrol(&app, &anna).await;
    app.advance(60);
    (app, secret)
}

/// The right password with a wrong code.
fn wrong(login: &str) -> Value {
    let mut body = with_code("wrong");
    body["login"] = json!(login);
    body
}

/// A client at one of many networks, so that the limits of attempts by network are not reached.
fn elsewhere(app: &TestApp, number: usize) -> Client {
    let address = format!("2001:db8:1:{number:x}::1");
    app.anonymous().with("X-Forwarded-For", &address)
}

/// Sends a wrong code from another network each time.
async fn guess(app: &TestApp, number: usize) -> Answer {
    elsewhere(app, number).post(SESSION, wrong("anna")).await
}

async fn sign_in_with(app: &TestApp, client: &Client, secret: &str) -> Answer {
    client.post(SESSION, with_code(&code(app, secret, 0))).await
}

#[track_caller]
fn assert_429(answer: &Answer, retry_after: i64) {
    answer.error(429, "too_many_attempts");
    assert_eq!(answer.header("retry-after"), retry_after.to_string());
}

#[service_test]
async fn ten_codes_are_examined_whatever_the_spelling_the_network_or_the_site() {
    let (app, _) = with_factor().await;
    let mut examined = 0;
    for number in 0..40 {
        let login = ["anna", "anna@example.com", "ANNA", "Anna@Example.com"][number % 4];
        // One address, or a network of its own.
        let network = if number % 3 == 0 { 0 } else { number };
        let answer = elsewhere(&app, network).post(SESSION, wrong(login)).await;
        match answer.status {
            422 => {
                answer.error(422, "invalid_code");
                examined += 1;
            }
            _ => drop(answer.error(429, "too_many_attempts")),
        }
        // A site signs the same person in with the same password.
        let mut site = sign_in(login);
        site["client_ip"] = json!(format!("2001:db8:1:{network:x}::1"));
        let answer = app.admin().post("/api/sessions", site).await;
        assert!([201, 429].contains(&answer.status), "{answer:?}");
    }
    assert_eq!(examined, 10);
    assert_eq!(app.number(EXAMINED).await, 10);
}

#[service_test]
async fn of_forty_concurrent_codes_on_two_instances_ten_are_examined() {
    let (app, _) = with_factor().await;
    let second = app.second_instance().await;
    second.app.kernel.core.clock.advance(60);
    let direct = Client::new(&second.address, None);
    let requests = (0..40).map(|number: usize| {
        let client = match number % 2 {
            0 => elsewhere(&app, number),
            // The second instance trusts no proxy, so the address itself is the network.
            _ => direct.at(&format!("127.0.1.{number}")),
        };
        async move { client.post(SESSION, wrong("anna")).await }
    });
    let answers = at_once(requests).await;
    let examined = answers.iter().filter(|answer| answer.status == 422);
    assert_eq!(examined.count(), 10);
    assert_eq!(app.number(EXAMINED).await, 10);
}

#[service_test]
async fn the_wait_doubles_to_an_hour_survives_a_restart_and_ends_with_a_right_code() {
    let (app, secret) = with_factor().await;
    for number in 0..10 {
        guess(&app, number).await.error(422, "invalid_code");
    }
    let mut passed = 60;
    for (number, wait) in [60, 120, 240, 480, 960, 1920, 3600, 3600]
        .into_iter()
        .enumerate()
    {
        assert_429(&guess(&app, 20 + number).await, wait);
        // A right code is not examined either, nor by an instance that was started afterwards.
        let right = sign_in_with(&app, &elsewhere(&app, 40 + number), &secret).await;
        assert_429(&right, wait);
        let restarted = app.second_instance().await;
        restarted.app.kernel.core.clock.advance(passed);
        let client = Client::new(&restarted.address, None);
        assert_429(&client.post(SESSION, wrong("anna")).await, wait);
        app.advance(wait - 1);
        assert_429(&guess(&app, 60 + number).await, 1);
        app.advance(1);
        passed += wait;
        guess(&app, 80 + number).await.error(422, "invalid_code");
    }
    app.advance(3600);
    sign_in_with(&app, &elsewhere(&app, 1), &secret)
        .await
        .created();
    for number in 100..110 {
        guess(&app, number).await.error(422, "invalid_code");
    }
    assert_429(&guess(&app, 110).await, 60);
}

#[service_test]
async fn a_known_browser_has_ten_codes_of_its_own_and_resets_the_account() {
    let (app, secret) = with_factor().await;
    let first = sign_in_with(&app, &app.anonymous(), &secret).await;
    let proof = cookie(&first, "steward-browser").expect("a proof");
    let known = app
        .anonymous()
        .with("Cookie", &format!("steward-browser={proof}"));
    for number in 0..10 {
        guess(&app, number).await.error(422, "invalid_code");
    }
    assert_429(&guess(&app, 10).await, 60);
    for round in 0..2 {
        for _ in 0..5 {
            let answer = known.post(SESSION, wrong("anna")).await;
            answer.error(422, "invalid_code");
        }
        // Five failures a minute, as with passwords.
        let answer = known.post(SESSION, wrong("anna")).await;
        assert_429(&answer, 60);
        app.advance(if round == 0 { 60 } else { 59 });
    }
    assert_429(&known.post(SESSION, wrong("anna")).await, 1);
    app.advance(1);
    guess(&app, 11).await.error(422, "invalid_code");
    assert_429(&guess(&app, 12).await, 120);
    let answer = sign_in_with(&app, &known, &secret).await;
    let anna = app.with_session(&answer);
    let failures = json!({ "passwords": 0, "codes": 21 });
    assert_eq!(anna.get(SESSION).await.ok()["failures"], failures);
    guess(&app, 12).await.error(422, "invalid_code");
}

#[service_test]
async fn failures_show_wrong_passwords_and_codes_since_the_last_visit() {
    let (app, secret) = with_factor().await;
    let mut body = console_sign_in("anna@example.com");
    body["password"] = json!("a wrong one");
    let answer = app.anonymous().post(SESSION, body).await;
    answer.error(422, "invalid_credentials");
    let mut body = sign_in("anna");
    body["password"] = json!("a wrong one");
    let answer = app.admin().post("/api/sessions", body).await;
    answer.error(422, "invalid_credentials");
    guess(&app, 1).await.error(422, "invalid_code");
    let answer = sign_in_with(&app, &app.anonymous(), &secret).await;
    assert_eq!(answer.created().get("failures"), None);
    let first = app.with_session(&answer);
    let failures = json!({ "passwords": 2, "codes": 1 });
    assert_eq!(first.get(SESSION).await.ok()["failures"], failures);
    app.advance(30);
    let answer = sign_in_with(&app, &app.anonymous(), &secret).await;
    let none = json!({ "passwords": 0, "codes": 0 });
    assert_eq!(
        app.with_session(&answer).get(SESSION).await.ok()["failures"],
        none
    );
    assert_eq!(first.get(SESSION).await.ok()["failures"], failures);
    let answer = app
        .anonymous()
        .post(SESSION, json!({ "api_key": app.admin_key() }))
        .await;
    assert_eq!(
        app.with_session(&answer)
            .get(SESSION)
            .await
            .ok()
            .get("failures"),
        None
    );
}
