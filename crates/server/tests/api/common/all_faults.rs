//! A refused request learns everything that is wrong with it, also what only the database knows.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::payments::{currency, order_with, shop};
use crate::support::{Client, TestApp, new_user};

const TAKEN: &str = "has already been taken";
const NOT_A_ROLE: &str = "is not the id of a role";
const NOT_AN_ID: &str = "must be an integer of at least 1";
const NULL: &str = "must not be null";
const FUTURE: &str = "must be in the future";
const PAST: &str = "2020-01-01T00:00:00Z";

/// A service with the users `anna` and `berta` and one role, whose ids are 1, 2 and 1.
async fn community() -> TestApp {
    let app = TestApp::start().await;
    let admin = app.admin();
    for name in ["anna", "berta"] {
        app.user(name).await;
    }
    create(&admin, "/api/roles", json!({ "name": "Guard" })).await;
    app
}

async fn create(admin: &Client, path: &str, body: Value) {
    admin.post(path, body).await.created();
}

#[service_test(community())]
async fn a_malformed_email_a_taken_username_and_an_unknown_role_come_at_once(admin: Client) {
    let mut body = new_user("ANNA");
    body["email"] = json!("anna");
    body["role_ids"] = json!([1, 99]);
    let answer = admin.post("/api/users", body).await;
    answer.invalid(&[
        ("username", TAKEN),
        ("email", "must be an email address"),
        ("role_ids.1", NOT_A_ROLE),
    ]);
    let at = |field: &str| answer.text.find(&format!("\"{field}\":")).expect(field);
    assert!(at("username") < at("email") && at("email") < at("role_ids.1"));
    assert_eq!(admin.total("/api/users").await, "2");
}

#[service_test(community())]
async fn users_are_checked_against_the_database_in_every_operation(admin: Client) {
    let body = json!({ "username": "Berta", "email": "BERTA@example.com", "password": "short" });
    admin.put("/api/users/1", body).await.invalid(&[
        ("username", TAKEN),
        ("email", TAKEN),
        ("password", "must be 8 to 1024 bytes long"),
    ]);
    // The user's own name is not taken.
    let body = json!({ "username": "anna", "email": "anna@example.com", "status": "Away" });
    let word = "must be 1 to 32 of a-z, 0-9, _ and -";
    let answer = admin.put("/api/users/1", body).await;
    answer.invalid(&[("status", word)]);

    let body = json!({ "role_ids": [99, "x", 1, 98] });
    admin.put("/api/users/1/roles", body).await.invalid(&[
        ("role_ids.0", NOT_A_ROLE),
        ("role_ids.1", NOT_AN_ID),
        ("role_ids.3", NOT_A_ROLE),
    ]);

    let body = json!({ "reason": "x".repeat(1001), "until": PAST });
    admin.post("/api/users/1/block", body).await.invalid(&[
        ("reason", "must be at most 1000 characters long"),
        ("until", FUTURE),
    ]);

    let body = json!({ "ids": [1, 9, 0], "add_roles": [1, 7], "dry_run": 1 });
    admin.post("/api/users/bulk", body).await.invalid(&[
        ("ids.1", "is not the id of a user"),
        ("ids.2", NOT_AN_ID),
        ("add_roles.1", NOT_A_ROLE),
        ("dry_run", "must be true or false"),
    ]);
    let body = json!({ "ids": [9], "block": { "until": PAST }, "dry_run": 1 });
    admin.post("/api/users/bulk", body).await.invalid(&[
        ("ids.0", "is not the id of a user"),
        ("block.until", FUTURE),
        ("dry_run", "must be true or false"),
    ]);

    let links = "/api/users/1/social-networks";
    let network = json!({ "network_id": 1, "profile_url": "anna" });
    create(&admin, links, network).await;
    let url = "must be an http or https address, or a handle without spaces";
    for (id, sentence) in [(1, TAKEN), (99, "is not the id of a social network")] {
        let body = json!({ "network_id": id, "profile_url": "a b" });
        let faults = [("network_id", sentence), ("profile_url", url)];
        admin.post(links, body).await.invalid(&faults);
    }
}

#[service_test]
async fn pages_social_networks_currencies_and_gateways_report_taken_names(admin: Client) {
    let page = |slug: &str| json!({ "title": "T", "slug": slug, "content": "" });
    let network = |name: &str| json!({ "name": name, "title": "T" });
    let currency = |code: &str| json!({ "code": code, "minimum_value": 0, "exchange_rate": 1 });
    let gateway = |key: &str| json!({ "key": key, "name": "T" });
    type New<'a> = &'a dyn Fn(&str) -> Value;
    let resources: [(&str, &str, &str, &str, New<'_>); 4] = [
        ("/api/cms-pages", "page", "slug", "title", &page),
        (
            "/api/social-networks",
            "social_network",
            "name",
            "title",
            &network,
        ),
        (
            "/api/currencies",
            "currency",
            "code",
            "exchange_rate",
            &currency,
        ),
        (
            "/api/payment-gateways",
            "payment_gateway",
            "key",
            "name",
            &gateway,
        ),
    ];
    for (path, noun, unique, other, new) in resources {
        create(&admin, path, new("aaa")).await;
        let second = admin.post(path, new("bbb")).await.created();
        let own = format!("{path}/{}", second[noun]["id"]);

        let mut body = new("aaa");
        body[other] = json!([]);
        let answer = admin.post(path, body).await;
        let errors = answer.error(422, "validation_failed")["errors"].take();
        assert_eq!(errors[unique], json!([TAKEN]), "{path}: {errors}");
        assert!(errors[other].is_array(), "{path}: {errors}");

        let body = json!({ unique: "aaa", other: null });
        let faults = [(unique, TAKEN), (other, NULL)];
        admin.put(&own, body).await.invalid(&faults);
        // Its own value is not taken.
        let body = json!({ unique: "bbb", other: null });
        admin.put(&own, body).await.invalid(&[(other, NULL)]);
    }
}

#[service_test]
async fn content_that_does_not_match_the_block_type_comes_with_other_faults(admin: Client) {
    let page = json!({ "title": "T", "slug": "t", "content": "" });
    create(&admin, "/api/cms-pages", page).await;
    let blocks = "/api/cms-pages/1/blocks";
    create(&admin, blocks, json!({ "type": "text", "content": "x" })).await;

    let order = "must be an integer from 0 to 2147483647";
    let text = "must be a string in a text block";
    let faults = [("content", text), ("order", order)];
    let body = json!({ "type": "text", "content": {}, "order": -1 });
    admin.post(blocks, body).await.invalid(&faults);
    let body = json!({ "content": {}, "order": -1 });
    let answer = admin.put(&format!("{blocks}/1"), body).await;
    answer.invalid(&faults);

    let items =
        json!([{ "id": 1, "order": -1 }, { "id": 9, "order": -1 }, { "id": 1, "order": 2 }]);
    let answer = admin
        .post(&format!("{blocks}/reorder"), json!({ "items": items }))
        .await;
    answer.invalid(&[
        ("items.0.order", order),
        ("items.1.order", order),
        ("items.1.id", "is not the id of a block of this page"),
        ("items.2.id", "must not be repeated"),
    ]);

    let strict = admin.with("Prefer", "handling=strict");
    let image = json!({ "url": "/a.png", "alt": "", "width": 1, "height": 1, "size": 1 });
    let body = json!({ "type": "image", "content": image, "order": -1 });
    strict.post(blocks, body).await.invalid(&[
        ("content.size", "is not a field of this request"),
        ("order", order),
    ]);
}

#[service_test(community())]
async fn navigation_names_unknown_parents_and_roles(admin: Client) {
    let items = "/api/navbar-items";
    create(
        &admin,
        items,
        json!({ "title": "A", "visible_only_for_guests": true }),
    )
    .await;
    let not_an_item = "is not the id of a navigation item";
    let length = "must be 1 to 255 characters long";
    let body = json!({ "title": "", "parent_id": 9, "roles": [1, 9] });
    let faults = [
        ("title", length),
        ("parent_id", not_an_item),
        ("roles.1", NOT_A_ROLE),
    ];
    admin.post(items, body.clone()).await.invalid(&faults);
    let answer = admin.put(&format!("{items}/1"), body).await;
    answer.invalid(&faults);

    let both = "must not be true together with visible_only_for_guests";
    let body = json!({ "title": "", "visible_only_for_logged_in": true, "parent_id": 1 });
    admin.put(&format!("{items}/1"), body).await.invalid(&[
        ("title", length),
        ("visible_only_for_logged_in", both),
        ("parent_id", "must not be the item itself or one below it"),
    ]);

    let roles = format!("{items}/1/roles");
    let faults = [("roles.0", NOT_AN_ID), ("roles.1", NOT_A_ROLE)];
    for method in [Method::POST, Method::DELETE] {
        let body = json!({ "roles": [0, 9] });
        let answer = admin.send(method, &roles, Some(body)).await;
        answer.invalid(&faults);
    }

    let position = "must be an integer from 0 to 2147483647";
    let order = json!([{ "id": 9, "position": -1 }, { "id": "x", "position": 0 }, { "id": 9, "position": 0 }]);
    let answer = admin
        .post(&format!("{items}/reorder"), json!({ "items": order }))
        .await;
    answer.invalid(&[
        ("items.0.position", position),
        ("items.0.id", not_an_item),
        ("items.1.id", NOT_AN_ID),
        ("items.2.id", not_an_item),
        ("items.2.id", "must not be repeated"),
    ]);
}

#[service_test(community())]
async fn promo_codes_name_a_taken_code_unknown_roles_and_rules_of_several_fields(admin: Client) {
    let promos = "/api/promo-codes";
    for code in ["SPRING", "SUMMER"] {
        create(
            &admin,
            promos,
            json!({ "code": code, "type": "amount", "value": 500 }),
        )
        .await;
    }
    let both = [("code", TAKEN), ("role_ids.0", NOT_A_ROLE)];
    // Nothing is malformed here: the database alone knows both faults.
    let body = json!({ "code": "spring", "type": "amount", "value": 1, "role_ids": [9] });
    admin.post(promos, body).await.invalid(&both);
    let body = json!({ "code": "spring", "role_ids": [9] });
    admin.put(&format!("{promos}/2"), body).await.invalid(&both);

    let faults = [
        ("code", TAKEN),
        ("value", "must be at most 100 for a percentage"),
        ("max_usages", "must be an integer from 1 to 2147483647"),
        ("expires_at", "must be after starts_at"),
        ("role_ids.0", NOT_A_ROLE),
    ];
    let mut body = json!({
        "code": "spring",
        "type": "percentage",
        "value": 101,
        "max_usages": 0,
        "starts_at": "2026-03-02T00:00:00Z",
        "expires_at": "2026-03-01T00:00:00Z",
        "role_ids": [9],
    });
    admin.post(promos, body.clone()).await.invalid(&faults);
    // The stored value is too much for a percentage as well.
    body.as_object_mut().expect("an object").remove("value");
    let answer = admin.put(&format!("{promos}/2"), body).await;
    answer.invalid(&faults);
}

#[service_test(shop())]
async fn missing_references_of_an_invoice_give_404_only_without_other_faults(admin: Client) {
    let usd = currency(&admin, "USD").await;
    let path = format!("/api/currencies/{usd}");
    admin.put(&path, json!({ "minimum_value": 5 })).await.ok();
    let gateway = json!({ "key": "closed", "enabled": false });
    create(&admin, "/api/payment-gateways", gateway).await;
    let promo = json!({ "code": "OFF", "type": "amount", "value": 1, "active": false });
    create(&admin, "/api/promo-codes", promo).await;

    let invoices = "/api/payment-invoices";
    let amount = ("amount", "must be at least 5 in this currency");
    let mut body = order_with("off", json!(1));
    body["currency_id"] = json!(usd);
    body["gateway"] = json!("a b");
    let key = "must be 1 to 64 letters, digits, _, - or .";
    let faults = [("gateway", key), amount, ("promo_code", "is not active")];
    admin.post(invoices, body.clone()).await.invalid(&faults);

    body["gateway"] = json!("closed");
    body["user_id"] = json!(0);
    let faults = [("user_id", NOT_AN_ID), ("gateway", "is disabled"), amount];
    admin.post(invoices, body.clone()).await.invalid(&faults);

    // A missing reference gives 404 only if there are no faults.
    let mut body = order_with("none", json!(0));
    body["user_id"] = json!(99);
    body["currency_id"] = json!(99);
    let answer = admin.post(invoices, body.clone()).await;
    let errors = answer.error(422, "validation_failed")["errors"].take();
    assert_eq!(
        errors.as_object().map(serde_json::Map::len),
        Some(1),
        "{errors}"
    );
    body["amount"] = json!(1);
    let answer = admin.post(invoices, body).await;
    answer.error(404, "user_not_found");
}

#[service_test]
async fn restrictions_of_a_key_name_an_expiry_in_the_past(app: TestApp) {
    let (id, _) = app.key(&[]).await;
    let path = format!("/api/api-keys/{id}/restrictions");
    let body = json!({ "expires_at": PAST, "requests_per_second": 0 });
    app.admin().put(&path, body).await.invalid(&[
        ("expires_at", FUTURE),
        ("requests_per_second", "must be an integer from 1 to 10000"),
    ]);
}

#[service_test(community())]
async fn a_404_and_a_412_still_come_before_a_422(admin: Client) {
    let body = json!({ "username": "Berta", "email": "anna" });
    admin.put("/api/users/99", body.clone()).await.not_found();
    let stale = admin.with("If-Match", "\"stale\"");
    let answer = stale.put("/api/users/1", body.clone()).await;
    answer.error(412, "precondition_failed");
    let answer = admin.put("/api/users/1", body).await;
    let address = "must be an email address";
    answer.invalid(&[("username", TAKEN), ("email", address)]);
}

#[service_test(community())]
async fn a_body_that_is_not_an_object_is_not_checked_further(admin: Client) {
    for (body, code) in [
        ("{\"username\":\"anna\"", "invalid_json"),
        ("[]", "invalid_body"),
    ] {
        let body = Some(("application/json", body.into()));
        let answer = admin.send_bytes(Method::POST, "/api/users", body).await;
        answer.error(422, code);
    }
    let body = Some(("text/plain", b"{\"username\":\"anna\"}".to_vec()));
    let answer = admin.send_bytes(Method::POST, "/api/users", body).await;
    answer.error(415, "unsupported_media_type");
}

#[service_test(community())]
async fn a_malformed_idempotency_key_comes_with_the_other_faults(admin: Client) {
    let mut body = new_user("anna");
    body["email"] = json!("anna");
    let answer = admin
        .with("Idempotency-Key", "a b")
        .post("/api/users", body)
        .await;
    answer.invalid(&[
        ("username", TAKEN),
        ("email", "must be an email address"),
        (
            "Idempotency-Key",
            "must be 1 to 255 visible ASCII characters",
        ),
    ]);
}
