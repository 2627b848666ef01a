//! The catalogue of social networks.

use serde_json::{Value, json};

use crate::support::{
    Client, TestApp, assert_fields, assert_one_created, count, in_every_order, post_at_once,
};

const NETWORKS: &str = "/api/social-networks";
const FIELDS: [&str; 4] = ["id", "name", "title", "url_template"];

async fn create(admin: &Client, body: Value) -> Value {
    admin.post(NETWORKS, body).await.created()["social_network"].take()
}

fn link(network_id: &Value) -> Value {
    json!({ "network_id": network_id, "profile_url": "gordon" })
}

#[service_test]
async fn the_catalogue_starts_with_twelve_networks(admin: Client) {
    let listed = admin.get(NETWORKS).await;
    assert_eq!(listed.header("x-total-count"), "12");
    let body = listed.ok();
    let networks = body["social_networks"].as_array().expect("a list");
    for (at, network) in networks.iter().enumerate() {
        assert_fields(network, &FIELDS);
        assert_eq!(network["id"], at + 1);
    }
    let expected = json!({
        "id": 4, "name": "telegram", "title": "Telegram",
        "url_template": "https://t.me/{handle}",
    });
    assert_eq!(networks[3], expected);
    let second = admin.get(&format!("{NETWORKS}?page=3&per_page=5")).await;
    assert_eq!(second.ok()["social_networks"], json!(networks[10..]));
    // A new network never gets the id of a predefined one.
    admin.delete(&format!("{NETWORKS}/12")).await.ok();
    let made = create(&admin, json!({ "name": "kick", "title": "Kick" })).await;
    assert_eq!(made["id"], 13);
}

#[service_test]
async fn a_network_lives_from_create_to_delete(app: TestApp, admin: Client) {
    app.user("anna").await;
    let template = "https://{handle}.example.com/?a=b";
    let body = json!({ "name": "my_net-2", "title": "Ünser Netz", "url_template": template });
    let created = admin.post(NETWORKS, body).await.created();
    assert_fields(&created, &["message", "social_network"]);
    let mut expected = json!({
        "id": 13, "name": "my_net-2", "title": "Ünser Netz", "url_template": template,
    });
    assert_eq!(created["social_network"], expected);
    let path = "/api/social-networks/13";
    assert_eq!(
        admin.get(path).await.ok(),
        json!({ "social_network": expected })
    );
    let plain = create(&admin, json!({ "name": "plain", "title": "Plain" })).await;
    assert_eq!(plain["url_template"], "");

    let links = "/api/users/1/social-networks";
    let added = admin.post(links, link(&json!(13))).await.created();
    assert_eq!(added["social_network"]["network"], "my_net-2");
    for (field, value) in [
        ("name", json!("net")),
        ("title", json!("Net")),
        ("url_template", json!("http://net.example/u/{handle}")),
        ("url_template", Value::Null),
    ] {
        let tag = admin.etag(path).await;
        expected[field] = if value.is_null() {
            json!("")
        } else {
            value.clone()
        };
        let changed = admin.put(path, json!({ field: value })).await.ok();
        assert_fields(&changed, &["message", "social_network"]);
        assert_eq!(changed["social_network"], expected);
        assert_ne!(admin.get(path).await.header("etag"), tag, "{field}");
    }
    assert_eq!(
        admin.put(path, json!({})).await.ok()["social_network"],
        expected
    );
    let listed = admin.get(links).await.ok();
    assert_eq!(listed["social_networks"][0]["network"], "net");

    admin.delete(path).await.error(409, "social_network_in_use");
    let id = &added["social_network"]["id"];
    admin.delete(&format!("{links}/{id}")).await.ok();
    assert_fields(&admin.delete(path).await.ok(), &["message"]);
    for answer in [
        admin.get(path).await,
        admin.put(path, json!({ "name": "" })).await,
        admin.delete(path).await,
    ] {
        answer.not_found();
    }
    let answer = admin.post(links, link(&json!(13))).await;
    answer.invalid(&[("network_id", "is not the id of a social network")]);
}

#[service_test]
async fn all_faults_of_a_social_network_are_in_one_422(admin: Client) {
    let name = ("name", "must be 1 to 50 of a-z, 0-9, _ and -");
    let title = ("title", "must be 1 to 100 characters long");
    let template = (
        "url_template",
        "must be an http or https address that contains {handle} once",
    );
    let wrong = json!({ "name": "Net", "title": "", "url_template": "https://x/" });
    let path = "/api/social-networks/1";
    let faults = [name, title, template];
    admin.post(NETWORKS, wrong.clone()).await.invalid(&faults);
    admin.put(path, wrong).await.invalid(&faults);
    for bad in ["", "a b", "ä", "a.b", &"x".repeat(51)] {
        let answer = admin.put(path, json!({ "name": bad })).await;
        answer.invalid(&[name]);
    }
    for bad in [
        "{handle}",
        "https://x/{handle}/{handle}",
        "javascript:alert({handle})",
        "https://x/ {handle}",
        "https:///{handle}",
    ] {
        let answer = admin.put(path, json!({ "url_template": bad })).await;
        answer.invalid(&[template]);
    }
    let long = format!("https://x/{{handle}}{}", "x".repeat(2048));
    let answer = admin.put(path, json!({ "url_template": long })).await;
    answer.invalid(&[("url_template", "must be at most 2048 characters long")]);
    let answer = admin.post(NETWORKS, json!({})).await;
    answer.invalid(&[("name", "is required"), ("title", "is required")]);

    let taken = [("name", "has already been taken")];
    let body = json!({ "name": "steam", "title": "Steam" });
    admin.post(NETWORKS, body.clone()).await.invalid(&taken);
    let answer = admin.put("/api/social-networks/2", body.clone()).await;
    answer.invalid(&taken);
    admin.put(path, body).await.ok();
}

#[service_test]
async fn of_many_concurrent_creates_one_gets_the_name_and_the_others_422(admin: Client) {
    let body = |_| json!({ "name": "net", "title": "Net" });
    let answers = post_at_once(&admin, NETWORKS, (0..40).map(body)).await;
    assert_one_created(&answers, "name");
}

#[service_test]
async fn a_network_is_linked_or_deleted_409_but_not_both(app: TestApp, admin: Client) {
    for name in ["anna", "bert", "carl", "dora"] {
        app.user(name).await;
    }
    let (mut linked, mut deleted) = (0, 0);
    for round in 0..25 {
        let body = json!({ "name": format!("net{round}"), "title": "Net" });
        let id = create(&admin, body).await["id"].clone();
        let requests = (0..6).map(|i| {
            let (admin, id) = (app.admin(), id.clone());
            let turn = (i + round) % 6;
            let deletes = turn % 3 == 0;
            let request = async move {
                if deletes {
                    return admin.delete(&format!("{NETWORKS}/{id}")).await;
                }
                let user = turn - turn / 3;
                let path = format!("/api/users/{user}/social-networks");
                admin.post(&path, link(&id)).await
            };
            (deletes, request)
        });
        let answers = in_every_order(round, requests);
        let answers = answers.await;
        let (gone, made) = (count(&answers, 200), count(&answers, 201));
        assert!((gone == 0) != (made == 0), "{gone} deleted, {made} made");
        for answer in &answers {
            match answer.status {
                200 | 201 => {}
                404 => answer.not_found(),
                422 => answer.invalid(&[("network_id", "is not the id of a social network")]),
                _ => drop(answer.error(409, "social_network_in_use")),
            }
        }
        linked += usize::from(made > 0);
        deleted += gone;
    }
    assert!(linked > 0 && deleted > 0, "{linked} and {deleted}");
    let lost = "SELECT COUNT(*) FROM user_social_links l
                WHERE NOT EXISTS (SELECT 1 FROM social_networks n WHERE n.id = l.network_id)";
    assert_eq!(app.number(lost).await, 0);
}
