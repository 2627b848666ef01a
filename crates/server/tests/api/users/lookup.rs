//! Users found by the profiles that they have linked.

use serde_json::{Value, json};

use crate::support::payments::numbers;
use crate::support::{Client, TestApp, assert_fields};

const LOOKUP: &str = "/api/users/lookup";
const STEAM: i64 = 1;
const DISCORD: i64 = 2;

/// One account in all its spellings.
const SPELLINGS: [&str; 8] = [
    "76561197969249708",
    "STEAM_0:0:4491990",
    "STEAM_1:0:4491990",
    "[U:1:8983980]",
    "https://steamcommunity.com/profiles/76561197969249708",
    "https://steamcommunity.com/profiles/76561197969249708/",
    "http://www.steamcommunity.com/profiles/76561197969249708?l=en",
    "steamcommunity.com/profiles/76561197969249708",
];

/// Any text as a segment of a path.
fn escaped(text: &str) -> String {
    let escape = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => char::from(byte).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(escape).collect()
}

fn by_social(network: &str, value: &str) -> String {
    format!("/api/users/by-social/{network}/{}", escaped(value))
}

/// The ids of the users that a look-up finds, and null where it finds none.
async fn found(app: &TestApp, network: &str, values: &[&str]) -> Value {
    let body = json!({ "network": network, "values": values });
    let reply = app.admin().post(LOOKUP, body).await.ok();
    assert_fields(&reply, &["users"]);
    let users = reply["users"].as_array().expect("a list");
    let echoed: Vec<&Value> = users.iter().map(|item| &item["value"]).collect();
    assert_eq!(json!(echoed), json!(values));
    users
        .iter()
        .map(|item| item["user"]["id"].clone())
        .collect()
}

#[service_test]
async fn a_user_is_found_by_a_linked_profile_and_read_as_by_id(app: TestApp, admin: Client) {
    let anna = app.user("anna").await;
    let role = admin.post("/api/roles", json!({ "name": "VIP" })).await;
    let role_ids = json!({ "role_ids": [role.created()["role"]["id"]] });
    let roles = format!("/api/users/{anna}/roles");
    admin.put(&roles, role_ids).await.ok();
    app.link(anna, DISCORD, "80351110224678912").await;

    let by_id = admin.get(&format!("/api/users/{anna}")).await;
    for network in ["discord", "2"] {
        let path = by_social(network, "80351110224678912");
        let answer = admin.get(&path).await;
        assert_eq!(answer.ok(), by_id.ok());
        assert_eq!(answer.header("etag"), by_id.header("etag"));
        let current = admin.with("If-None-Match", by_id.header("etag"));
        assert_eq!(current.get(&path).await.status, 304);
    }
    let body = json!({ "network": "discord", "values": ["80351110224678912"] });
    let reply = admin.post(LOOKUP, body).await.ok();
    let expected = json!({ "value": "80351110224678912", "user": by_id.ok()["user"] });
    assert_eq!(reply, json!({ "users": [expected] }));
}

#[service_test]
async fn all_spellings_of_a_steam_id_find_a_link_in_any_of_them(app: TestApp) {
    for stored in SPELLINGS {
        let name = format!("user{}", app.next_number("steam user"));
        let user = app.user(&name).await;
        app.link(user, STEAM, stored).await;
        let links = format!("/api/users/{user}/social-networks");
        let links = app.admin().get(&links).await.ok();
        assert_eq!(links["social_networks"][0]["profile_url"], SPELLINGS[0]);
        for asked in SPELLINGS {
            let answer = app.admin().get(&by_social("steam", asked)).await;
            assert_eq!(answer.ok()["user"]["id"], user, "{asked} for {stored}");
        }
        let all = found(&app, "steam", &SPELLINGS).await;
        assert_eq!(all, json!(vec![user; 8]), "{stored}");
        // Brackets may stand in a path as they are.
        let path = "/api/users/by-social/steam/[U:1:8983980]";
        assert_eq!(app.admin().get(path).await.ok()["user"]["id"], user);
        app.admin().delete(&format!("/api/users/{user}")).await.ok();
    }
    assert_eq!(found(&app, "steam", &SPELLINGS[..1]).await, json!([null]));
}

#[service_test]
async fn the_address_of_a_discord_user_is_stored_and_found_as_the_id(app: TestApp) {
    let (anna, bert) = (app.user("anna").await, app.user("bert").await);
    let address = "https://discord.com/users/80351110224678912";
    app.link(anna, DISCORD, address).await;
    app.link(bert, DISCORD, "https://discord.com/users/bert")
        .await;
    let links = app.admin().get("/api/users/1/social-networks").await.ok();
    let stored = &links["social_networks"][0]["profile_url"];
    assert_eq!(*stored, "80351110224678912");
    let values = [
        "80351110224678912",
        address,
        "https://discord.com/users/bert",
    ];
    assert_eq!(
        found(&app, "discord", &values).await,
        json!([anna, anna, bert])
    );
    let found = app.admin().get(&by_social("discord", address)).await;
    assert_eq!(found.ok()["user"]["id"], anna);
}

#[service_test]
async fn other_profiles_are_compared_as_they_are(app: TestApp) {
    let (anna, bert) = (app.user("anna").await, app.user("bert").await);
    let long = format!("https://example.com/{}", "ж".repeat(2000));
    app.link(anna, STEAM, "gordon").await;
    app.link(anna, DISCORD, "[U:1:8983980]").await;
    app.link(anna, 12, &format!("{long}a")).await;
    app.link(bert, 12, &format!("{long}b")).await;

    let vanity = "https://steamcommunity.com/id/gordon";
    let values = ["gordon", "Gordon", "gordo", "gord%", "gordon ", vanity];
    let expected = json!([anna, null, null, null, null, null]);
    assert_eq!(found(&app, "steam", &values).await, expected);
    // A SteamID has several spellings on Steam only.
    let values = ["[U:1:8983980]", "76561197969249708", "gordon"];
    assert_eq!(found(&app, "2", &values).await, json!([anna, null, null]));
    let (a, b) = (format!("{long}a"), format!("{long}b"));
    let expected = json!([anna, bert, null]);
    assert_eq!(found(&app, "website", &[&a, &b, &long]).await, expected);
}

#[service_test]
async fn a_lookup_keeps_the_order_and_repeats_repeated_values(app: TestApp) {
    let (anna, bert) = (app.user("anna").await, app.user("bert").await);
    app.link(anna, STEAM, "STEAM_0:1:1").await;
    app.link(bert, STEAM, "[U:1:2]").await;
    let values = [
        "[U:1:2]",
        "nobody",
        "[U:1:3]",
        "STEAM_1:0:1",
        "nobody",
        "[U:1:2]",
    ];
    let expected = json!([bert, null, anna, bert, null, bert]);
    assert_eq!(found(&app, "steam", &values).await, expected);
}

#[service_test]
async fn of_several_users_with_one_profile_the_first_who_linked_it_is_found(app: TestApp) {
    let admin = app.admin();
    let (anna, bert) = (app.user("anna").await, app.user("bert").await);
    app.link(bert, STEAM, "[U:1:7]").await;
    app.link(anna, STEAM, "STEAM_0:1:3").await;
    assert_eq!(
        found(&app, "steam", &["STEAM_0:1:3", "[U:1:7]"]).await,
        json!([bert, bert])
    );
    let links = format!("/api/users/{bert}/social-networks");
    let link = admin.get(&links).await.ok()["social_networks"][0]["id"].clone();
    admin.delete(&format!("{links}/{link}")).await.ok();
    assert_eq!(found(&app, "steam", &["[U:1:7]"]).await, json!([anna]));
}

#[service_test]
async fn an_unknown_profile_or_network_gives_404(app: TestApp, admin: Client) {
    let anna = app.user("anna").await;
    app.link(anna, STEAM, "gordon").await;
    admin.get(&by_social("steam", "gordon")).await.ok();
    for (network, value) in [
        ("discord", "gordon"),
        ("steam", "freeman"),
        ("steam", "gor\0don"),
        ("Steam", "gordon"),
        ("stea%00m", "gordon"),
        ("0", "gordon"),
        ("01x", "gordon"),
        ("99999999999999999999", "gordon"),
    ] {
        admin.get(&by_social(network, value)).await.not_found();
    }
    let answer = admin.get("/api/users/by-social/steam/%FF").await;
    answer.not_found();
}

#[service_test]
async fn an_invalid_lookup_gives_422_with_all_faults(admin: Client) {
    let network = "is not the name or the id of a social network";
    let body = json!({ "network": "myspace", "values": ["a", 7, "", "  ", "x".repeat(2049)] });
    admin.post(LOOKUP, body).await.invalid(&[
        ("network", network),
        ("values.1", "must be a string"),
        ("values.2", "must be 1 to 2048 characters long"),
        ("values.3", "must not be blank"),
        ("values.4", "must be 1 to 2048 characters long"),
    ]);
    let body = json!({ "network": "myspace", "values": ["a"] });
    let answer = admin.post(LOOKUP, body).await;
    answer.invalid(&[("network", network)]);
    let too_many = vec!["a"; 101];
    for (values, sentence) in [
        (json!([]), "must hold 1 to 100 strings"),
        (json!(too_many), "must hold 1 to 100 strings"),
        (json!("gordon"), "must be a list of strings"),
    ] {
        let body = json!({ "network": "steam", "values": values });
        let answer = admin.post(LOOKUP, body).await;
        answer.invalid(&[("values", sentence)]);
    }
    let answer = admin.post(LOOKUP, json!({})).await;
    answer.invalid(&[("network", "is required"), ("values", "is required")]);
    let most = vec!["a"; 100];
    let body = json!({ "network": "steam", "values": most });
    let reply = admin.post(LOOKUP, body).await.ok();
    assert_eq!(reply["users"].as_array().map(Vec::len), Some(100));
}

#[service_test]
async fn a_lookup_counts_against_the_rate_limit_429(app: TestApp) {
    let (id, reader) = app.key(&["admin.users.read"]).await;
    let body = json!({ "network": "steam", "values": ["a"] });
    reader.post(LOOKUP, body.clone()).await.ok();
    let path = format!("/api/api-keys/{id}/restrictions");
    let limit = json!({ "requests_per_second": 2 });
    app.admin().put(&path, limit).await.ok();
    reader.post(LOOKUP, body.clone()).await.ok();
    reader.get(&by_social("steam", "a")).await.not_found();
    reader.post(LOOKUP, body).await.error(429, "rate_limited");
}

/// However many users have linked one profile, and however many links there are.
#[service_test]
async fn links_are_found_through_an_index(app: TestApp) {
    let db = &app.core().db;
    let users = numbers(&app, 20_000);
    let sql = format!(
        "INSERT INTO users (username, email, username_folded, email_folded, password_hash, status,
                            created_at, updated_at)
         SELECT 'u' || n, 'u' || n, 'u' || n, 'u' || n, '', 'active', 0, 0 FROM {users};
         INSERT INTO user_social_links (user_id, network_id, profile_url)
         SELECT id, 1, CASE WHEN id % 2 = 0 THEN 'clan' ELSE username END FROM users ORDER BY id"
    );
    db.run_sql(&sql).await.expect("links");
    if db.on_postgres() {
        // Autovacuum does this sooner or later.
        db.run_sql("ANALYZE").await.expect("statistics");
    }
    // The first user is u2.
    let expected = json!([777, 2]);
    assert_eq!(found(&app, "steam", &["u778", "clan"]).await, expected);
    let sql = include_str!("../../../../accounts/src/users/lookup/first_links.sql");
    let values = match db.on_postgres() {
        true => "'{u778,clan}'",
        false => r#"'["u778","clan"]'"#,
    };
    let plan = db.plan(sql, &["1", values]).await.expect("a plan");
    assert_eq!(plan.matches("user_social_links_value").count(), 1, "{plan}");
    for scan in ["Seq Scan", "SCAN l", "TEMP B-TREE", "Sort"] {
        assert!(!plan.contains(scan), "{plan}");
    }
}
