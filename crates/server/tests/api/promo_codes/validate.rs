//! Validating a promo code before its use.

use serde_json::{Value, json};

use crate::support::payments::{exact, number, order_with, shop, user};
use crate::support::{Client, Rng, TestApp, assert_fields};

async fn create(admin: &Client, body: Value) -> i64 {
    let made = admin.post("/api/promo-codes", body).await.created();
    made["promo_code"]["id"].as_i64().expect("an id")
}

async fn validate(admin: &Client, id: i64, body: Value) -> Value {
    let path = format!("/api/promo-codes/{id}/validate");
    admin.post(&path, body).await.ok()
}

#[service_test(shop())]
async fn the_answer_has_the_amount_left_to_pay(app: TestApp, admin: Client) {
    let body = json!({ "code": "ABC", "type": "percentage", "value": 12.5, "minimum_amount": 1 });
    create(&admin, body).await;
    let answer = validate(&admin, 1, json!({ "user_id": 1, "amount": 10.5 })).await;
    assert_fields(
        &answer,
        &["valid", "reason", "faults", "discount", "amount"],
    );
    let expected = json!({
        "valid": true, "reason": null, "faults": [], "discount": 1.31, "amount": 9.19,
    });
    assert_eq!(answer, expected);
    let fault = json!({
        "field": "promo_code", "code": "amount_too_small", "params": { "amount": 1 },
    });
    let expected = json!({
        "valid": false, "reason": "needs an amount of at least 1", "faults": [fault],
        "discount": 0, "amount": 0.5,
    });
    assert_eq!(
        validate(&admin, 1, json!({ "amount": 0.5 })).await,
        expected
    );

    let path = "/api/promo-codes/1/validate";
    admin.post(path, json!({ "user_id": "1" })).await.invalid(&[
        ("user_id", "must be an integer of at least 1"),
        ("amount", "is required"),
    ]);
    let unknown = json!({ "user_id": 9, "amount": 1 });
    let answer = admin.post(path, unknown.clone()).await;
    answer.error(404, "user_not_found");
    let missing = admin.post("/api/promo-codes/9/validate", json!({})).await;
    missing.not_found();
    assert_eq!(
        number(&app, "SELECT usages_count FROM promo_codes").await,
        0
    );
}

#[service_test]
async fn without_a_user_a_code_for_roles_is_invalid_and_limits_per_user_do_not_apply() {
    let app = shop().await;
    let admin = app.admin();
    admin.create_role("Donor").await;
    let roles = json!({ "role_ids": [1] });
    admin.put("/api/users/1/roles", roles).await.ok();
    let body = json!({ "code": "DONORS", "type": "amount", "value": 1, "role_ids": [1] });
    let donors = create(&admin, body).await;
    let body = json!({ "code": "ONCE", "type": "amount", "value": 1, "max_uses_per_user": 1 });
    let once = create(&admin, body).await;
    let used = order_with("ONCE", json!(5));
    admin.post("/api/payment-invoices", used).await.created();

    let (anna, without_user) = (json!({ "user_id": 1, "amount": 5 }), json!({ "amount": 5 }));
    assert_eq!(validate(&admin, donors, anna.clone()).await["valid"], true);
    let answer = validate(&admin, donors, without_user.clone()).await;
    assert_eq!(answer["reason"], "is not for this user");
    let answer = validate(&admin, once, anna).await;
    assert_eq!(answer["reason"], "has been used up by this user");
    assert_eq!(validate(&admin, once, without_user).await["valid"], true);
}

/// A random code, with limits that are sometimes reached.
fn random_code(rng: &mut Rng, number: u64) -> Value {
    let kind = rng.one_of(&["amount", "percentage"]);
    let mut body = json!({
        "code": format!("CODE{number}"), "type": kind,
        "value": (1 + rng.below(100_0000)) as f64 / 10_000.0,
        "active": rng.below(8) > 0,
    });
    let mut maybe = |field: &str, choices: &[Value]| {
        if rng.below(3) == 0 {
            body[field] = rng.one_of(choices);
        }
    };
    maybe("max_usages", &[json!(1), json!(3)]);
    maybe("max_uses_per_user", &[json!(1), json!(2)]);
    maybe("minimum_amount", &[json!(0), json!(12.3456), json!(40)]);
    let start = [json!("2026-03-01T11:00:00Z"), json!("2026-03-01T12:05:00Z")];
    maybe("starts_at", &start);
    let end = [json!("2026-03-01T12:10:00Z"), json!("2026-03-02T12:00:00Z")];
    maybe("expires_at", &end);
    maybe("role_ids", &[json!([1]), json!([2]), json!([1, 2])]);
    body
}

#[service_test]
async fn an_invoice_agrees_with_its_validation() {
    for seed in 1..=3 {
        println!("seed {seed}");
        let app = shop().await;
        let admin = app.admin();
        let mut rng = Rng::new(seed);
        user(&app, "bert").await;
        for name in ["Donor", "Guest"] {
            admin.create_role(name).await;
        }
        let roles = json!({ "role_ids": [1] });
        admin.put("/api/users/1/roles", roles).await.ok();
        let mut codes = Vec::new();
        for number in 0..12 {
            codes.push(create(&admin, random_code(&mut rng, number)).await);
        }
        let (mut taken, mut refused) = (0, 0);
        for _ in 0..150 {
            app.advance(rng.below(9) as i64);
            let id = rng.one_of(&codes);
            let user_id = 1 + rng.below(2);
            let amount = json!((1 + rng.below(60_0000)) as f64 / 10_000.0);
            let path = format!("/api/promo-codes/{id}/validate");
            let asked = json!({ "user_id": user_id, "amount": amount });
            let validated = admin.post(&path, asked).await;
            let mut order = order_with(&format!("code{}", id - 1), amount);
            order["user_id"] = json!(user_id);
            let done = admin.post("/api/payment-invoices", order).await;

            let verdict = validated.ok();
            let left = exact(&validated.text, &["amount"]);
            if verdict["valid"] == true {
                done.created();
                assert_eq!(verdict["reason"], Value::Null);
                let paid = exact(&done.text, &["payment_invoice", "amount"]);
                let original = exact(&done.text, &["payment_invoice", "original_amount"]);
                assert_eq!(left, paid);
                assert_eq!(exact(&validated.text, &["discount"]), original - paid);
                taken += 1;
            } else {
                let reason = verdict["reason"].as_str().expect("a reason");
                done.invalid(&[("promo_code", reason)]);
                assert_eq!(done.json()["faults"], verdict["faults"]);
                assert_eq!((&verdict["discount"], left > 0), (&json!(0), true));
                refused += 1;
            }
        }
        assert!(
            taken > 20 && refused > 20,
            "{taken} taken, {refused} refused"
        );
    }
}
