//! The second factor.

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha1::Sha1;

use crate::support::{Client, SESSION, TestApp, at_once, console_sign_in, count};

const TWO_FACTOR: &str = "/api/console/two-factor";

/// The code of an authenticator app, `steps` time steps from now.
pub fn code(app: &TestApp, secret: &str, steps: i64) -> String {
    let secret = data_encoding::BASE32_NOPAD
        .decode(secret.as_bytes())
        .expect("base 32");
    let step = app.core().clock.now().unix() / 30 + steps;
    let mut mac = Hmac::<Sha1>::new_from_slice(&secret).expect("a key");
    mac.update(&step.to_be_bytes());
    let hash = mac.finalize().into_bytes();
    let offset = usize::from(hash[19] & 15);
    let word = u32::from_be_bytes(hash[offset..offset + 4].try_into().expect("four bytes"));
    format!("{:06}", (word & 0x7fff_ffff) % 1_000_000)
}

/// Sets a second factor up; returns its secret and the recovery codes.
pub async fn enrol(app: &TestApp, client: &Client) -> (String, Vec<String>) {
    let begun = client.post_empty(TWO_FACTOR).await.created();
    let secret = begun["secret"].as_str().expect("a secret").to_owned();
    let uri = begun["uri"].as_str().expect("a URI");
    assert!(
        uri.starts_with("otpauth://totp/Steward:") && uri.contains(&secret),
        "{uri}"
    );
    let wrong = client.put(TWO_FACTOR, json!({ "code": "abc" })).await;
    wrong.error(422, "invalid_code");
    let body = json!({ "code": code(app, &secret, 0) });
    let confirmed = client.put(TWO_FACTOR, body).await.ok();
    let codes = confirmed["recovery_codes"]
        .as_array()
        .expect("codes")
        .iter();
    let codes = codes.map(|code| code.as_str().expect("a code").to_owned());
    (secret, codes.collect())
}

pub fn with_code(code: &str) -> Value {
    let mut body = console_sign_in("anna");
    body["code"] = json!(code);
    body
}

#[service_test]
async fn totp_codes_and_recovery_codes_work_once(app: TestApp) {
    let id = app.operator("anna", &[]).await;
    let anna = app.signed_in("anna").await;
    let (secret, recovery) = enrol(&app, &anna).await;
    assert_eq!(recovery.len(), 10);
    let answer = anna.post_empty(TWO_FACTOR).await;
    answer.error(409, "two_factor_enrolled");
    assert_eq!(anna.get(SESSION).await.ok()["operator"]["two_factor"], true);
    let anonymous = app.anonymous();
    let sign_in = async |body: Value| anonymous.post(SESSION, body).await;

    let answer = sign_in(console_sign_in("anna")).await;
    answer.error(422, "two_factor_required");
    let mut wrong = with_code(&code(&app, &secret, 1));
    wrong["password"] = json!("a wrong one");
    sign_in(wrong).await.error(422, "invalid_credentials");
    // The code that confirmed the factor was used by that.
    let used = with_code(&code(&app, &secret, 0));
    sign_in(used).await.error(422, "invalid_code");
    let early = with_code(&code(&app, &secret, 1));
    sign_in(early.clone()).await.created();
    sign_in(early).await.error(422, "invalid_code");
    app.advance(61);
    for offset in [-2, 2] {
        let outside = with_code(&code(&app, &secret, offset));
        sign_in(outside).await.error(422, "invalid_code");
    }
    let late = code(&app, &secret, 0);
    app.advance(30);
    sign_in(with_code(&late)).await.created();

    app.advance(61);
    sign_in(with_code(&recovery[3])).await.created();
    let answer = sign_in(with_code(&recovery[3])).await;
    answer.error(422, "invalid_code");
    sign_in(with_code(&recovery[4].to_uppercase().replace('-', " ")))
        .await
        .created();
    let left = "SELECT COUNT(*) FROM operator_recovery_codes";
    assert_eq!(app.number(left).await, 8);

    app.advance(61);
    let removal = |password: &str, code: &str| json!({ "password": password, "code": code });
    let remove = async |body| {
        anna.send(reqwest::Method::DELETE, TWO_FACTOR, Some(body))
            .await
    };
    let wrong = remove(removal("a wrong one", &recovery[0])).await;
    wrong.error(422, "invalid_credentials");
    let wrong = remove(removal("battery staple", "000")).await;
    wrong.error(422, "invalid_code");
    for _ in 0..3 {
        let wrong = remove(removal("battery staple", "001")).await;
        wrong.error(422, "invalid_code");
    }
    let limited = remove(removal("battery staple", &recovery[0])).await;
    limited.error(429, "too_many_attempts");
    app.advance(61);
    remove(removal("battery staple", &recovery[0])).await.ok();
    sign_in(console_sign_in("anna")).await.created();
    assert_eq!(app.number(left).await, 0);

    enrol(&app, &anna).await;
    let path = format!("/api/operators/{id}/reset-two-factor");
    app.admin().post_empty(&path).await.ok();
    sign_in(console_sign_in("anna")).await.created();
}

#[service_test]
async fn of_50_who_sign_in_at_once_with_one_totp_code_one_is_let_in(app: TestApp) {
    app.operator("anna", &[]).await;
    let anna = app.signed_in("anna").await;
    let (secret, _) = enrol(&app, &anna).await;
    let body = with_code(&code(&app, &secret, 1));
    // Five from each network, which the limits of attempts allow.
    let requests = (0..50).map(|number| {
        let client = app.anonymous().at(&format!("127.0.0.{}", 10 + number % 10));
        let body = body.clone();
        async move { client.post(SESSION, body).await }
    });
    let answers = at_once(requests).await;
    // The others are wrong; after ten wrong ones they have to wait, and not all find a place in
    // the queue of passwords.
    assert_eq!(count(&answers, 201), 1);
    let others = [422, 429, 503].map(|status| count(&answers, status));
    assert_eq!(others.iter().sum::<usize>(), 49);
    for answer in answers.iter().filter(|answer| answer.status == 422) {
        answer.error(422, "invalid_code");
    }
}

#[service_test(TestApp::start_with(|limits| limits.require_two_factor = true))]
async fn where_a_second_factor_is_required_an_operator_can_only_enrol_without_one(app: TestApp) {
    app.operator("anna", &["admin.roles"]).await;
    let anna = app.signed_in("anna").await;
    for path in ["/api/roles", "/api/permissions", "/api/events"] {
        anna.get(path).await.error(403, "two_factor_required");
    }
    anna.get(SESSION).await.ok();
    let (_, key) = app.key(&["admin.roles"]).await;
    key.get("/api/roles").await.ok();
    enrol(&app, &anna).await;
    anna.get("/api/roles").await.ok();
}

#[service_test]
async fn secrets_are_sealed_for_their_operator_and_resealed_under_a_new_secret_key() {
    use kernel::secret::SecretKey;
    use server::secret_rotation::Rotation;
    let app = TestApp::start().await;
    app.operator("anna", &[]).await;
    let anna = app.signed_in("anna").await;
    let (secret, _) = enrol(&app, &anna).await;
    let plain = data_encoding::BASE32_NOPAD
        .decode(secret.as_bytes())
        .expect("base 32");
    let stored = async || {
        let mut read = app.core().db.read().await.expect("a reader");
        let sql = "SELECT totp_secret FROM operators";
        let sealed: Vec<u8> = read
            .query_one(sql, &[], |row| row.get(0))
            .await
            .expect("it");
        sealed
    };
    let context = "second factor of operator 1";
    let (old, new) = (SecretKey::new(&[7; 32]), SecretKey::new(&[8; 32]));
    assert_eq!(old.open(context, &stored().await), Some(plain.clone()));
    assert_eq!(
        old.open("second factor of operator 2", &stored().await),
        None
    );
    let rotation = Rotation::begin(app.core()).await.expect("begun");
    rotation.finish(&new).await.expect("finished");
    assert_eq!(old.open(context, &stored().await), None);
    assert_eq!(new.open(context, &stored().await), Some(plain));
}

#[service_test]
async fn new_recovery_codes_replace_the_earlier_ones(app: TestApp) {
    app.operator("anna", &[]).await;
    let anna = app.signed_in("anna").await;
    let path = "/api/console/two-factor/recovery-codes";
    let answer = anna.post_empty(path).await;
    answer.error(409, "two_factor_not_begun");
    let (_, old) = enrol(&app, &anna).await;
    let renewed = anna.post_empty(path).await.created();
    let new: Vec<&str> = renewed["recovery_codes"]
        .as_array()
        .expect("codes")
        .iter()
        .map(|code| code.as_str().expect("a code"))
        .collect();
    assert_eq!(new.len(), 10);
    let entry = app.admin().newest_audit_entry().await;
    assert_eq!(entry["action"], "operators.renew_recovery_codes");
    assert!(!entry.to_string().contains(new[0]), "{entry}");
    let answer = app.anonymous().post(SESSION, with_code(&old[0])).await;
    answer.error(422, "invalid_code");
    app.anonymous()
        .post(SESSION, with_code(new[0]))
        .await
        .created();
    app.advance(15 * 60);
    let answer = anna.post_empty(path).await;
    answer.error(403, "confirmation_required");
}

#[service_test]
async fn a_new_secret_starts_without_used_codes(app: TestApp) {
    let id = app.operator("anna", &[]).await;
    for _ in 0..3 {
        // The code that confirms it is of the same time step each time.
        let anna = app.signed_in("anna").await;
        enrol(&app, &anna).await;
        let path = format!("/api/operators/{id}/reset-two-factor");
        app.admin().post_empty(&path).await.ok();
    }
}

#[service_test]
async fn a_right_password_without_the_code_is_an_audit_entry_password_only(app: TestApp) {
    let id = app.operator("anna", &[]).await;
    let anna = app.signed_in("anna").await;
    enrol(&app, &anna).await;
    let answer = app
        .anonymous()
        .post(SESSION, console_sign_in("anna@example.com"))
        .await;
    answer.error(422, "two_factor_required");
    let entry = app.admin().newest_audit_entry().await;
    assert_eq!(entry["action"], "console_sessions.password_only");
    assert_eq!(entry["after"]["user_id"], id);
    assert_eq!(entry["ip"], "127.0.0.1");
}
