//! The rules of each table, with the odd rows of the dump.

use serde_json::{Value, json};

use super::{CHOICES, REPORT, SMALL, counts, import, notes, report};
use crate::support::{Home, Program};

/// Imports the small dump; returns the report and the service.
async fn imported(args: &[&str]) -> (Home, Value, Program) {
    let home = Home::new().await;
    import(&home, SMALL, &[CHOICES, REPORT, args].concat())
        .await
        .ok();
    let report = report(&home);
    let service = home.start().await;
    (home, report, service)
}

async fn user(service: &Program, id: i64) -> Value {
    let user = service.admin().get(&format!("/api/users/{id}")).await;
    user.ok()["user"].clone()
}

#[track_caller]
fn assert_noted(report: &Value, table: &str, note: &str) {
    let notes = notes(report, table);
    assert!(
        notes.iter().any(|known| known == note),
        "{note}: {notes:#?}"
    );
}

#[tokio::test]
async fn users_keep_what_is_valid_and_lose_what_is_not() {
    let (_home, report, service) = imported(&[]).await;
    for (id, username, email, status) in [
        (1, "admin", None, "active"),
        (3, "Иван_Петров", None, "active"),
        (4, "admin-4", Some("user-4@no-email.invalid"), "active"),
        (6, "ADMIN-6", Some("user-6@no-email.invalid"), "active"),
        (12, "bad_mail_1", Some("user-12@no-email.invalid"), "active"),
        (14, "bad_mail_3", Some("user-14@no-email.invalid"), "active"),
        (15, "mixed", Some("Mixed.Case@Example.ORG"), "active"),
        (21, "emptyname", None, "active"),
        (22, "user-22", Some("user-22@no-email.invalid"), "active"),
        (24, "José", None, "active"),
        (25, "José-25", None, "active"),
        (28, "deleted1", None, "inactive"),
        (29, "deleted2", None, "active"),
        (39, "unverified", None, "active"),
        (44, "ivan petrov", None, "active"),
        (49, "12345", None, "active"),
        (53, "kirill", None, "blocked"),
        (54, "olga", None, "blocked"),
        (59, "VkOnly Вконтакте", None, "active"),
    ] {
        let user = user(&service, id).await;
        assert_eq!(user["username"], username, "{id}");
        assert_eq!(user["status"], status, "{id}");
        if let Some(email) = email {
            assert_eq!(user["email"], email, "{id}");
        }
    }
    let long = user(&service, 48).await;
    assert_eq!(long["username"], "l".repeat(100));
    let future = user(&service, 32).await;
    assert_eq!(future["created_at"], "2037-12-31T23:59:59Z");
    assert_eq!(future["updated_at"], "1999-12-31T23:59:59Z");
    for id in [26, 27] {
        let absent = service.admin().get(&format!("/api/users/{id}")).await;
        assert_eq!(absent.status, 404);
        assert_noted(
            &report,
            "users",
            &format!("{id} left out: the user is temporary"),
        );
    }
    for note in [
        "4 changed: user 1 has the username, so it is admin-4",
        "12 changed: the email address is not valid, so there is none",
        "29 changed: deleted_at is a zero or impossible date, so there is none",
        "36 changed: the password is of no usable kind, so there is none",
        "48 changed: the login is cut to 100 characters",
    ] {
        assert_noted(&report, "users", note);
    }
    let roles = user(&service, 7).await["roles"].clone();
    let roles: Vec<i64> = roles
        .as_array()
        .expect("roles")
        .iter()
        .filter_map(|role| role["id"].as_i64())
        .collect();
    assert!(roles.contains(&3) && roles.contains(&4), "{roles:?}");
    let bosses = report["had_all_permissions"].as_array().expect("a list");
    assert!(bosses.iter().any(|boss| boss["id"] == 1), "{bosses:?}");
}

#[tokio::test]
async fn unverified_users_may_be_pending() {
    let (_home, _, service) = imported(&["--unverified", "pending"]).await;
    assert_eq!(user(&service, 39).await["status"], "pending");
    assert_eq!(user(&service, 28).await["status"], "inactive");
}

#[tokio::test]
async fn of_active_blocks_the_one_that_ends_last_is_in_force() {
    let (_home, report, service) = imported(&[]).await;
    let admin = service.admin();
    let olga = admin.get("/api/users/54?include=block").await.ok();
    let block = &olga["user"]["block"];
    assert_eq!(block["reason"], "second, longer");
    assert_eq!(block["until"], "2037-01-01T00:00:00Z");
    assert_eq!(block["by"]["name"], "admin");
    let kirill = admin.get("/api/users/53?include=block").await.ok();
    assert_eq!(kirill["user"]["block"]["until"], Value::Null);
    assert_eq!(
        user(&service, 28).await["status"],
        "inactive",
        "a deleted user stays so"
    );
    for note in [
        "8 changed: the block is lifted, because the user is deleted and stays inactive",
        "9 left out: user 26 is not taken over",
        "10 changed: blocked_until is a zero or impossible date, so there is none",
        "12 changed: the block ended before it began",
    ] {
        assert_noted(&report, "user_blocks", note);
    }
    let blocked = admin.get("/api/users?status=blocked&per_page=100").await;
    assert_eq!(
        blocked.header("x-total-count"),
        blocked.ok()["users"]
            .as_array()
            .map(Vec::len)
            .expect("users")
            .to_string()
    );
}

#[tokio::test]
async fn the_100_newest_devices_of_a_user_are_kept() {
    let (_home, report, service) = imported(&[]).await;
    let devices = service.admin().get("/api/users/56/devices").await.ok();
    assert_eq!(devices["devices"].as_array().map(Vec::len), Some(100));
    let [read, written, _, left_out] = counts(&report, "user_devices");
    assert_eq!(read, 197);
    assert_eq!(written + left_out, read);
    let old = notes(&report, "user_devices");
    let old = old
        .iter()
        .filter(|note| note.contains("not one of the 100 newest"));
    assert!(old.count() > 10);
}

#[tokio::test]
async fn a_steam_account_belongs_to_the_lowest_user() {
    let (home, report, service) = imported(&[]).await;
    for note in [
        "13 left out: the user has a link on steam already; the user can sign in with it nevertheless",
        "15 left out: user 2 has the same profile",
        "16 changed: the profile is written as 76561197960268729",
        "16 changed: nobody can sign in with this profile: it is not written as an id",
        "17 changed: the profile is written as 76561201960267328",
        "21 changed: nobody can sign in with this profile: it is not written as an id",
        "24 changed: linked_at is a zero or impossible date, so there is none",
    ] {
        assert_noted(&report, "user_social_networks", note);
    }
    let links = service
        .admin()
        .get("/api/users/2/social-networks")
        .await
        .ok();
    assert!(links.to_string().contains("76561201960267730"), "{links}");
    let db = home.database().await;
    let mut read = db.read().await.expect("a reader");
    let of_user = "SELECT CAST(COUNT(*) AS BIGINT) FROM user_identities WHERE user_id = $1";
    for (user_id, expected) in [(1, 1), (2, 1), (3, 0), (7, 0), (10, 1), (23, 0)] {
        let user_id: i64 = user_id;
        let count: i64 = read
            .query_one(of_user, db::params![user_id], |row| row.get(0))
            .await
            .expect("a number");
        // User 1 may have linked Discord as well.
        assert!(
            count >= expected && (expected > 0 || count == 0),
            "{user_id}: {count}"
        );
    }
}

#[tokio::test]
async fn servers_need_an_address_and_their_passwords_are_sealed() {
    let host = [
        "--host",
        "play.example.org=203.0.113.99",
        "--game",
        "730=csgo",
    ];
    let (_home, report, service) = imported(&host).await;
    let servers = service.admin().get("/api/servers").await.ok();
    let servers = servers["servers"].as_array().expect("servers").clone();
    let server = |id: i64| servers.iter().find(|server| server["id"] == id);
    assert_eq!(server(1).expect("a server")["game"], "csgo");
    assert_eq!(server(3).expect("a server")["game"], "css");
    assert_eq!(server(3).expect("a server")["enabled"], false);
    assert_eq!(server(4).expect("a server")["ip"], "203.0.113.99");
    assert!(server(5).is_none(), "its host is not named");
    assert_eq!(server(6).expect("a server")["name"], "SA-MP Role Play");
    assert_eq!(server(7).expect("a server")["ip"], "2001:db8::7");
    let one = service
        .admin()
        .get("/api/servers/1?include=query_port")
        .await
        .ok();
    assert_eq!(one["server"]["query_port"], 27_016);
    assert_eq!(counts(&report, "servers")[3], 1);
    assert!(!report.to_string().contains("S3cr3t"));
}

#[tokio::test]
async fn pages_have_unique_slugs_and_blocks_in_order() {
    let (_home, report, service) = imported(&[]).await;
    let admin = service.admin();
    let pages = admin.get("/api/cms-pages").await.ok();
    let slugs: Vec<&str> = pages["pages"]
        .as_array()
        .expect("pages")
        .iter()
        .map(|page| page["slug"].as_str().expect("a slug"))
        .collect();
    assert_eq!(
        slugs[..7],
        [
            "home",
            "rules",
            "rules-3",
            "home-4",
            "page-5",
            "shop/vip/gold",
            "no-slash"
        ]
    );
    let page = admin.get("/api/cms-pages/8").await.ok();
    let description = page["page"]["meta_description"].as_str().expect("a text");
    assert_eq!(description.chars().count(), 1_000);
    assert_noted(
        &report,
        "pages",
        "4 changed: page 1 has the slug, so it is home-4",
    );
    let [read, written, _, left_out] = counts(&report, "page_blocks");
    assert_eq!((read, written + left_out), (22, 22));
    let blocks = admin.get("/api/cms-pages/1/blocks").await.ok();
    let blocks = blocks["blocks"].as_array().expect("blocks");
    let orders = blocks.iter().map(|block| block["order"].as_i64());
    assert!(orders.eq((0..blocks.len() as i64).map(Some)), "{blocks:?}");
    assert!(blocks[0]["content"].get("gridstack").is_some());
}

#[tokio::test]
async fn the_menu_keeps_its_tree_without_what_nobody_sees() {
    let (_home, report, service) = imported(&[]).await;
    let items = service
        .admin()
        .get("/api/navbar-items?per_page=100")
        .await
        .ok();
    let items = items.as_object().expect("an object").values();
    let items = items
        .filter_map(Value::as_array)
        .next()
        .expect("items")
        .clone();
    let item = |id: i64| items.iter().find(|item| item["id"] == id);
    assert_eq!(items.len(), 13);
    assert!(item(10).is_none() && item(11).is_none());
    for (id, parent) in [
        (4, json!(3)),
        (5, json!(4)),
        (13, json!(14)),
        (14, json!(3)),
        (1, json!(null)),
    ] {
        assert_eq!(item(id).expect("an item")["parent_id"], parent, "{id}");
    }
    assert_eq!(item(7).expect("an item")["icon"], Value::Null);
    assert_eq!(item(16).expect("an item")["url"], Value::Null);
    assert_eq!(item(16).expect("an item")["position"], 0);
    assert_noted(
        &report,
        "navbar_items",
        "11 left out: it is below 10, which nobody sees",
    );
    // VIP has the priority 5, and Silver is for vip.
    let silver = service.admin().get("/api/navbar-items/5").await.ok();
    let roles = silver.to_string();
    assert!(
        roles.contains("Модератор"),
        "a higher priority sees it: {roles}"
    );
}

#[tokio::test]
async fn sums_of_paid_invoices_are_those_of_the_dump_but_for_what_is_left_out() {
    let (_home, report, service) = imported(&[]).await;
    let paid = |currency: &str| {
        let list = report["paid_invoices"].as_array().expect("a list").iter();
        let mut list = list.filter(|paid| paid["currency"] == currency);
        list.next().expect("a currency").clone()
    };
    // With the invoice of 100 that has no currency.
    assert_eq!(
        paid("RUB")["dump"],
        json!({ "count": 111, "sum": "11391012.73" })
    );
    // Without -15.5, and 40 of a temporary user.
    assert_eq!(
        paid("RUB")["steward"],
        json!({ "count": 109, "sum": "11390988.23" })
    );
    assert_eq!(paid("RUB")["difference"], "24.50");
    assert_eq!(paid("USD")["dump"], json!({ "count": 12, "sum": "39.668" }));
    assert_eq!(paid("USD")["steward"]["sum"], "39.64");
    assert_eq!(
        paid("EUR")["steward"],
        json!({ "count": 13, "sum": "120.10" })
    );
    assert!(report["may_have_lost_cents"]["flute_payment_invoices"].as_u64() >= Some(4));
    let invoice = async |id: i64| {
        let answer = service
            .admin()
            .get(&format!("/api/payment-invoices/{id}"))
            .await;
        let body = answer.ok();
        let mut body = body.as_object().expect("an object").values();
        body.find(|value| value.is_object())
            .expect("an invoice")
            .clone()
    };
    let three = invoice(3).await;
    assert_eq!(
        (&three["amount"], &three["original_amount"]),
        (&json!(10_000_000), &json!(10_000_000))
    );
    assert_eq!(invoice(7).await["paid_at"], "2024-02-23T12:00:07Z");
    assert_eq!(invoice(8).await["paid_at"], Value::Null);
    assert_eq!(invoice(17).await["transaction_id"], Value::Null);
    assert_eq!(invoice(12).await["gateway"], "DeletedGateway");
    assert_eq!(invoice(13).await["gateway"], "tbank");
    assert_eq!(invoice(14).await["gateway"], "unknown");
    assert_eq!(invoice(21).await["amount"], 0);
    assert_eq!(invoice(20).await["amount"], json!(3.01));
    assert_noted(
        &report,
        "payment_invoices",
        "11 left out: the amount is negative",
    );
    assert_noted(
        &report,
        "payment_invoices",
        "18 left out: user 27 is not taken over",
    );
}

#[tokio::test]
async fn promo_codes_are_inactive_and_valid() {
    let (_home, report, service) = imported(&[]).await;
    let codes = service
        .admin()
        .get("/api/promo-codes?per_page=100")
        .await
        .ok();
    let codes = codes["promo_codes"].as_array().expect("codes").clone();
    assert!(codes.iter().all(|code| code["active"] == false));
    let code = |id: i64| {
        codes
            .iter()
            .find(|code| code["id"] == id)
            .expect("a code")
            .clone()
    };
    assert_eq!(code(1)["max_uses_per_user"], 1);
    assert_eq!(code(3)["max_uses_per_user"], 2);
    assert_eq!(code(4)["value"], json!(0.01));
    assert_eq!(code(5)["value"], 100);
    assert_eq!(code(8)["value"], json!(33.3333));
    assert_eq!(code(9)["max_usages"], 1);
    assert_noted(
        &report,
        "promo_codes",
        "5 changed: the value is 100, the nearest that can be",
    );
    let [read, written, _, left_out] = counts(&report, "promo_code_usages");
    assert_eq!((read, written + left_out), (19, 19));
}

#[tokio::test]
async fn keys_are_inactive_unless_they_are_wanted_active() {
    let (_home, report, service) = imported(&["--keys", "active"]).await;
    let old = service.holder("Zx9QmT4vB7nK2pL8sD5fG1hJ6wE3rY0u");
    let permissions = old.get("/api/permissions").await;
    assert_eq!(permissions.status, 200);
    assert_noted(
        &report,
        "api_keys",
        "4 left out: the key is the same as that of 3",
    );
    assert_noted(
        &report,
        "api_keys",
        "5 left out: the key does not have 16 to 256 visible ASCII characters",
    );
}
