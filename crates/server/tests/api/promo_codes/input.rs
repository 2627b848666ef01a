//! Input rules of promo codes.

use serde_json::{Value, json};

use super::{CODES, change, create};
use crate::support::Client;

#[service_test]
async fn an_update_of_a_code_keeps_absent_fields_and_null_clears_nullable_ones(admin: Client) {
    let nullable = json!({
        "max_usages": 7, "max_uses_per_user": 2, "minimum_amount": 1.5,
        "starts_at": "2026-01-01T00:00:00Z", "expires_at": "2027-01-01T00:00:00Z",
    });
    let mut expected = create(&admin, {
        let mut body = nullable.clone();
        body["code"] = json!("ABC");
        body["type"] = json!("amount");
        body["value"] = json!(1);
        body
    })
    .await;
    for (field, value) in nullable.as_object().expect("an object") {
        assert_eq!(&expected[field], value);
        expected[field] = Value::Null;
        assert_eq!(change(&admin, 1, json!({ field: null })).await, expected);
    }
    for (field, value) in nullable.as_object().expect("an object") {
        expected[field] = value.clone();
        assert_eq!(change(&admin, 1, json!({ field: value })).await, expected);
    }
    for (field, value) in [
        ("code", json!("DEF")),
        ("type", json!("percentage")),
        ("value", json!(2.25)),
        ("active", json!(false)),
    ] {
        expected[field] = value.clone();
        assert_eq!(change(&admin, 1, json!({ field: value })).await, expected);
    }
    let fault = "must not be null";
    let fields = ["code", "type", "value", "role_ids", "active"];
    let body: Value = fields.iter().map(|field| (*field, Value::Null)).collect();
    let faults = fields.map(|field| (field, fault));
    admin.put("/api/promo-codes/1", body).await.invalid(&faults);
    assert_eq!(change(&admin, 1, json!({})).await, expected);
}

#[service_test]
async fn an_update_whose_result_breaks_a_rule_gives_422(admin: Client) {
    let body = json!({ "code": "ABC", "type": "amount", "value": 100.0001,
                       "expires_at": "2026-06-01T00:00:00Z" });
    let before = create(&admin, body).await;
    let percentage = ("value", "must be at most 100 for a percentage");
    let order = ("expires_at", "must be after starts_at");
    for (body, fault) in [
        (json!({ "type": "percentage" }), percentage),
        (json!({ "type": "percentage", "value": 101 }), percentage),
        (json!({ "starts_at": "2026-06-01T00:00:00Z" }), order),
        (
            json!({ "starts_at": "2026-07-01T00:00:00Z", "value": 1 }),
            order,
        ),
    ] {
        let answer = admin.put("/api/promo-codes/1", body).await;
        answer.invalid(&[fault]);
    }
    let body = json!({
        "type": "percentage", "starts_at": "2026-06-01T00:00:00Z", "role_ids": [9],
    });
    let unknown = ("role_ids.0", "is not the id of a role");
    let answer = admin.put("/api/promo-codes/1", body).await;
    answer.invalid(&[percentage, order, unknown]);
    assert_eq!(change(&admin, 1, json!({})).await, before);

    let body = json!({ "type": "percentage", "value": 100 });
    assert_eq!(change(&admin, 1, body).await["type"], "percentage");
    let answer = admin
        .put("/api/promo-codes/1", json!({ "value": 100.5 }))
        .await;
    answer.invalid(&[percentage]);
    // A removed end no longer bounds the other one.
    let body = json!({ "starts_at": "2026-07-01T00:00:00Z", "expires_at": null });
    assert_eq!(change(&admin, 1, body).await["expires_at"], Value::Null);
}

#[service_test]
async fn all_faults_of_a_promo_code_are_in_one_422(admin: Client) {
    let wrong = json!({
        "code": "ab", "type": "gift", "value": 0, "max_usages": 0, "max_uses_per_user": 1.5,
        "minimum_amount": -1, "starts_at": "soon", "expires_at": 7, "role_ids": 1, "active": 1,
    });
    let times = "must be an integer from 1 to 2147483647";
    let faults = [
        ("code", "must be 3 to 50 characters long"),
        ("type", "must be amount or percentage"),
        ("value", "must be greater than 0"),
        ("max_usages", times),
        ("max_uses_per_user", times),
        ("minimum_amount", "must not be negative"),
        (
            "starts_at",
            "must be a moment in ISO 8601, such as 2026-03-01T12:00:00Z",
        ),
        ("expires_at", "must be a string"),
        ("role_ids", "must be a list of ids"),
        ("active", "must be true or false"),
    ];
    admin.post(CODES, wrong.clone()).await.invalid(&faults);
    create(
        &admin,
        json!({ "code": "ABC", "type": "amount", "value": 1 }),
    )
    .await;
    let answer = admin.put("/api/promo-codes/1", wrong).await;
    answer.invalid(&faults);
    let answer = admin.post(CODES, json!({})).await;
    answer.invalid(&["code", "type", "value"].map(|field| (field, "is required")));
    let strict = admin.with("Prefer", "handling=strict");
    let answer = strict
        .put("/api/promo-codes/1", json!({ "usages_count": 5 }))
        .await;
    answer.invalid(&[("usages_count", "is not a field of this request")]);

    create(
        &admin,
        json!({ "code": "Straße", "type": "amount", "value": 1 }),
    )
    .await;
    let taken = [("code", "has already been taken")];
    let body = json!({ "code": "abc", "type": "amount", "value": 1 });
    admin.post(CODES, body).await.invalid(&taken);
    let answer = admin
        .put("/api/promo-codes/1", json!({ "code": "STRAßE" }))
        .await;
    answer.invalid(&taken);
    // A code may keep its own name.
    assert_eq!(
        change(&admin, 1, json!({ "code": "aBC" })).await["code"],
        "aBC"
    );
}
