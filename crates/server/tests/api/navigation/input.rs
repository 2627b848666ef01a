use serde_json::{Value, json};

use super::{ITEMS, item, listed, path, single};
use crate::support::{Client, TestApp};

const BLANK: &str = "must not be blank";
const LONG_TITLE: &str = "must be 1 to 255 characters long";
const STRING: &str = "must be a string";
const BOOLEAN: &str = "must be true or false";
const POSITION: &str = "must be an integer from 0 to 2147483647";
const DEVICES: &str = "must be all, desktop or mobile";
const SCHEME: &str = "must be relative or begin with http:, https: or mailto:";
const SPACE: &str = "must not begin with a space";
const CONTROL: &str = "must not contain control characters";
const LONG_URL: &str = "must be at most 2048 characters long";
const LONG_ICON: &str = "must be at most 100 characters long";

/// Asserts that each value gives its error on create and on update.
async fn assert_refused(field: &str, cases: &[(Value, &str)]) {
    let app = TestApp::start().await;
    let admin = app.admin();
    let id = item(&admin, json!({ "title": "Home" })).await;
    let before = single(&admin, id).await;
    for (value, sentence) in cases {
        let mut body = json!({ "title": "New" });
        body[field] = value.clone();
        let faults = [(field, *sentence)];
        admin.post(ITEMS, body.clone()).await.invalid(&faults);
        admin.put(&path(id), body).await.invalid(&faults);
    }
    assert_eq!(listed(&admin).await, [id]);
    assert_eq!(single(&admin, id).await, before);
}

/// Asserts that each value is stored unchanged on create and on update.
async fn assert_accepted(field: &str, values: &[Value]) {
    let app = TestApp::start().await;
    let admin = app.admin();
    let other = item(&admin, json!({ "title": "Home" })).await;
    for value in values {
        let mut body = json!({ "title": "New" });
        body[field] = value.clone();
        let id = item(&admin, body.clone()).await;
        assert_eq!(single(&admin, id).await[field], *value);
        let updated = admin.put(&path(other), body).await.ok();
        assert_eq!(updated["navbar_item"][field], *value);
        assert_eq!(single(&admin, other).await[field], *value);
    }
}

#[service_test]
async fn a_title_has_1_to_255_characters_422() {
    let cases = [
        (json!(""), LONG_TITLE),
        (json!(" \t"), BLANK),
        (json!("x".repeat(256)), LONG_TITLE),
        (json!(1), STRING),
        (json!(["Home"]), STRING),
        (json!("a\0b"), "must not contain the NUL character"),
    ];
    assert_refused("title", &cases).await;
    assert_accepted("title", &[json!("é".repeat(255)), json!(" a ")]).await;
    let app = TestApp::start().await;
    let required = [("title", "is required")];
    app.admin().post(ITEMS, json!({})).await.invalid(&required);
    let null = [("title", "must not be null")];
    let body = json!({ "title": null });
    app.admin().post(ITEMS, body).await.invalid(&null);
}

#[service_test]
async fn a_url_with_a_scheme_that_is_not_allowed_gives_422() {
    let cases = [
        (json!("javascript:alert(1)"), SCHEME),
        (json!("JaVaScRiPt:alert(1)"), SCHEME),
        (json!("data:text/html,x"), SCHEME),
        (json!("ftp://example.com"), SCHEME),
        (json!(" javascript:alert(1)"), SPACE),
        (json!("\u{1}javascript:alert(1)"), CONTROL),
        (json!("java\nscript:alert(1)"), CONTROL),
        (json!("java\tscript:alert(1)"), CONTROL),
        (json!("x".repeat(2049)), LONG_URL),
        (json!(true), STRING),
    ];
    assert_refused("url", &cases).await;
    let good = [
        json!(""),
        json!("#"),
        json!("/about?a=1:2#b"),
        json!("about"),
        json!("http://example.com"),
        json!("HTTPS://example.com/a b"),
        json!("mailto:someone@example.com"),
        json!("x".repeat(2048)),
    ];
    assert_accepted("url", &good).await;
}

#[service_test]
async fn icon_position_and_flags_of_a_wrong_type_give_422() {
    assert_refused(
        "icon",
        &[(json!("x".repeat(101)), LONG_ICON), (json!(5), STRING)],
    )
    .await;
    assert_accepted("icon", &[json!("é".repeat(100)), json!("")]).await;
    let cases = [
        (json!(-1), POSITION),
        (json!(2_147_483_648_i64), POSITION),
        (json!("1"), POSITION),
        (json!(1.5), POSITION),
        (json!(true), POSITION),
    ];
    assert_refused("position", &cases).await;
    assert_accepted("position", &[json!(2_147_483_647), json!(0)]).await;
    for flag in [
        "new_tab",
        "visible_only_for_guests",
        "visible_only_for_logged_in",
    ] {
        assert_refused(flag, &[(json!(1), BOOLEAN), (json!("true"), BOOLEAN)]).await;
        assert_accepted(flag, &[json!(true), json!(false)]).await;
    }
    assert_refused(
        "visibility",
        &[
            (json!("tablet"), DEVICES),
            (json!("All"), DEVICES),
            (json!(""), DEVICES),
            (json!(1), STRING),
        ],
    )
    .await;
    let devices = [json!("mobile"), json!("desktop"), json!("all")];
    assert_accepted("visibility", &devices).await;
}

#[service_test]
async fn a_position_with_an_integral_value_is_an_integer_in_any_notation(app: TestApp) {
    let body = br#"{"title": "Home", "position": 1.2e1}"#.to_vec();
    let created = app
        .admin()
        .send_bytes(
            reqwest::Method::POST,
            ITEMS,
            Some(("application/json", body)),
        )
        .await
        .created();
    assert_eq!(created["navbar_item"]["position"], 12);
}

#[service_test]
async fn visibility_for_guests_and_logged_in_users_together_gives_422(admin: Client) {
    let guests = "must not be true together with visible_only_for_logged_in";
    let logged_in = "must not be true together with visible_only_for_guests";
    let both = json!({ "visible_only_for_guests": true, "visible_only_for_logged_in": true });

    admin.post(ITEMS, both.clone()).await.invalid(&[
        ("title", "is required"),
        ("visible_only_for_guests", guests),
        ("visible_only_for_logged_in", logged_in),
    ]);

    let body = json!({ "title": "Sign in", "visible_only_for_guests": true });
    let id = item(&admin, body).await;
    admin.put(&path(id), both).await.invalid(&[
        ("visible_only_for_guests", guests),
        ("visible_only_for_logged_in", logged_in),
    ]);
    let body = json!({ "visible_only_for_logged_in": true });
    let faults = [("visible_only_for_logged_in", logged_in)];
    admin.put(&path(id), body).await.invalid(&faults);
    assert_eq!(
        single(&admin, id).await["visible_only_for_logged_in"],
        false
    );

    let swap = json!({ "visible_only_for_guests": false, "visible_only_for_logged_in": true });
    admin.put(&path(id), swap).await.ok();
    let body = json!({ "visible_only_for_guests": true });
    let faults = [("visible_only_for_guests", guests)];
    admin.put(&path(id), body).await.invalid(&faults);
}

#[service_test]
async fn all_faults_of_a_navigation_item_are_in_one_422(admin: Client) {
    let body = json!({
        "title": "", "url": "javascript:x", "icon": 1, "position": -1, "visibility": "none",
        "parent_id": 0, "roles": [1, "2", 0],
    });
    let malformed = [
        ("title", LONG_TITLE),
        ("url", SCHEME),
        ("icon", STRING),
        ("position", POSITION),
        ("visibility", DEVICES),
        ("parent_id", "must be an integer of at least 1"),
        ("roles.0", "is not the id of a role"),
        ("roles.1", "must be an integer of at least 1"),
        ("roles.2", "must be an integer of at least 1"),
    ];
    admin.post(ITEMS, body.clone()).await.invalid(&malformed);
    let shown = json!({ "title": "Sign in", "visible_only_for_guests": true });
    let id = item(&admin, shown).await;
    admin.put(&path(id), body).await.invalid(&malformed);

    let missing = [
        ("parent_id", "is not the id of a navigation item"),
        ("roles.0", "is not the id of a role"),
        ("roles.1", "is not the id of a role"),
    ];
    let body = json!({ "title": "New", "parent_id": 99, "roles": [8, 9] });
    admin.post(ITEMS, body).await.invalid(&missing);
    let body = json!({ "parent_id": 99, "roles": [8, 9], "visible_only_for_logged_in": true });
    let mut with_audience = vec![(
        "visible_only_for_logged_in",
        "must not be true together with visible_only_for_guests",
    )];
    with_audience.extend(missing);
    admin.put(&path(id), body).await.invalid(&with_audience);
    assert_eq!(listed(&admin).await, [id]);
}

#[service_test]
async fn unknown_fields_of_an_item_are_ignored_unless_prefer_handling_strict_422(admin: Client) {
    let body = json!({ "title": "Home", "colour": "red", "children": [] });
    admin.post(ITEMS, body.clone()).await.created();
    let strict = admin.with("Prefer", "handling=strict");
    strict.post(ITEMS, body).await.invalid(&[
        ("children", "is not a field of this request"),
        ("colour", "is not a field of this request"),
    ]);
}
