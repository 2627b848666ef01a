use std::collections::BTreeMap;

use serde_json::json;

use crate::support::walk::ids;
use crate::support::{Answer, Client, TestApp};

/// The path of a list, and the name of its items in the reply.
const LISTS: [(&str, &str); 2] = [("/api/roles", "roles"), ("/api/api-keys", "api_keys")];

/// A service with this many roles and, including the first key, as many keys.
async fn with_items(count: usize) -> TestApp {
    let app = TestApp::start().await;
    add(&app.admin(), "/api/roles", count).await;
    add(&app.admin(), "/api/api-keys", count - 1).await;
    app
}

async fn add(admin: &Client, list: &str, count: usize) {
    for i in 0..count {
        let body = json!({ "name": format!("number {i}") });
        admin.post(list, body).await.created();
    }
}

#[track_caller]
/// The paths in `Link`, by relation.
fn links(answer: &Answer) -> BTreeMap<String, String> {
    let link = |link: &str| {
        let (address, relation) = link
            .split_once(">; rel=\"")
            .expect("an address and a relation");
        let address = address.strip_prefix('<').expect("an address");
        let relation = relation.strip_suffix('"').expect("a relation");
        (relation.to_owned(), address.to_owned())
    };
    answer.header("link").split(", ").map(link).collect()
}

fn relations(answer: &Answer) -> Vec<String> {
    links(answer).into_keys().collect()
}

#[service_test(with_items(103))]
async fn without_page_parameters_all_items_come_ordered_by_id(app: TestApp) {
    for (path, name) in LISTS {
        let all = app.admin().get(path).await;
        assert_eq!(ids(&all, name), (1..=103).collect::<Vec<_>>());
        assert_eq!(all.header("x-total-count"), "103");
        assert!(!all.has_header("link"), "{path}");
    }
}

#[service_test(with_items(7))]
async fn a_page_has_link_and_x_total_count(admin: Client) {
    for (path, name) in LISTS {
        let page = async |number: i64| {
            let page = admin.get(&format!("{path}?page={number}&per_page=3")).await;
            assert_eq!(page.header("x-total-count"), "7");
            page
        };
        let first = page(1).await;
        assert_eq!(ids(&first, name), [1, 2, 3]);
        assert_eq!(relations(&first), ["first", "last", "next"]);
        let second = page(2).await;
        assert_eq!(ids(&second, name), [4, 5, 6]);
        assert_eq!(relations(&second), ["first", "last", "next", "prev"]);
        let third = page(3).await;
        assert_eq!(ids(&third, name), [7]);
        assert_eq!(relations(&third), ["first", "last", "prev"]);
        let beyond = page(4).await;
        assert!(ids(&beyond, name).is_empty());
        assert_eq!(relations(&beyond), ["first", "last", "prev"]);

        let follow = async |relation: &str| {
            let links = links(&second);
            ids(&admin.get(&links[relation]).await, name)
        };
        assert_eq!(follow("first").await, [1, 2, 3]);
        assert_eq!(follow("prev").await, [1, 2, 3]);
        assert_eq!(follow("next").await, [7]);
        assert_eq!(follow("last").await, [7]);
    }
}

#[service_test]
async fn link_repeats_known_filters_once_and_nothing_else(app: TestApp, admin: Client) {
    for name in ["anna", "ben", "carl"] {
        app.user(name).await;
    }
    let junk = "x".repeat(3000);
    let repeated = "status=pending&".repeat(200);
    let query = format!("{repeated}status=active&junk={junk}&per_page=1&page=2&sort=username");
    let answer = admin.get(&format!("/api/users?{query}")).await;
    answer.ok();
    let links = links(&answer);
    let relations: Vec<&str> = links.keys().map(String::as_str).collect();
    assert_eq!(relations, ["first", "last", "next", "prev"]);
    for address in links.values() {
        assert!(
            address.starts_with("/api/users?status=active&sort=username&"),
            "{address}"
        );
        assert!(address.len() < 200, "{address}");
        admin.get(address).await.ok();
    }
}

#[service_test(with_items(6))]
async fn a_full_last_page_has_no_next_link(admin: Client) {
    for (path, name) in LISTS {
        let last = admin.get(&format!("{path}?page=2&per_page=3")).await;
        assert_eq!(ids(&last, name), [4, 5, 6]);
        assert_eq!(relations(&last), ["first", "last", "prev"]);
        assert!(links(&last)["last"].contains("page=2"));
    }
}

#[service_test]
async fn an_empty_list_has_one_page(app: TestApp) {
    let empty = app.admin().get("/api/roles?page=1").await;
    assert!(ids(&empty, "roles").is_empty());
    assert_eq!(empty.header("x-total-count"), "0");
    assert_eq!(relations(&empty), ["first", "last"]);
    let links = links(&empty);
    assert_eq!(links["first"], links["last"]);
}

#[service_test(with_items(22))]
async fn page_and_per_page_have_defaults(admin: Client) {
    for (path, name) in LISTS {
        let first = admin.get(&format!("{path}?page=1")).await;
        assert_eq!(ids(&first, name), (1..=20).collect::<Vec<_>>());
        let second = admin.get(&format!("{path}?page=2")).await;
        assert_eq!(ids(&second, name), [21, 22]);
        let short = admin.get(&format!("{path}?per_page=2")).await;
        assert_eq!(ids(&short, name), [1, 2]);
        let rest = admin.get(&format!("{path}?after=19")).await;
        assert_eq!(ids(&rest, name), [20, 21, 22]);
        let some = admin.get(&format!("{path}?after=19&per_page=2")).await;
        assert_eq!(ids(&some, name), [20, 21]);
        assert_eq!(some.header("x-total-count"), "22");
    }
}

#[service_test(with_items(103))]
async fn per_page_is_capped_at_100(admin: Client) {
    for (path, name) in LISTS {
        for asked in ["101", "1000", "9223372036854775807", "99999999999999999999"] {
            let page = admin.get(&format!("{path}?per_page={asked}")).await;
            assert_eq!(ids(&page, name).len(), 100);
            assert!(links(&page)["last"].contains("page=2&per_page=100"));
            let rest = admin.get(&links(&page)["next"]).await;
            assert_eq!(ids(&rest, name), [101, 102, 103]);
        }
        let page = admin.get(&format!("{path}?per_page=100")).await;
        assert_eq!(ids(&page, name).len(), 100);
        let page = admin.get(&format!("{path}?per_page=99")).await;
        assert_eq!(ids(&page, name).len(), 99);
    }
}

#[service_test]
async fn an_invalid_page_or_per_page_gives_422(admin: Client) {
    let sentence = "must be an integer of at least 1";
    for (path, _) in LISTS {
        for odd in [
            "0",
            "00",
            "-1",
            "x",
            "",
            "1.5",
            "1.0",
            "1e1",
            "0x1",
            "%201",
            "1%20",
            "+1",
            "1,2",
            "true",
            "null",
            "%D9%A1",
            "-99999999999999999999",
        ] {
            for name in ["page", "per_page", "after"] {
                let answer = admin.get(&format!("{path}?{name}={odd}")).await;
                answer.invalid(&[(name, sentence)]);
            }
        }
        let answer = admin.get(&format!("{path}?page=0&per_page=x&after")).await;
        let faults = ["page", "per_page", "after"].map(|name| (name, sentence));
        answer.invalid(&faults);
    }
}

#[service_test(with_items(3))]
async fn huge_page_and_after_values_give_an_empty_page(admin: Client) {
    for (path, name) in LISTS {
        for huge in [
            "9223372036854775807",
            "9223372036854775808",
            &"9".repeat(1000),
        ] {
            for query in [
                format!("page={huge}"),
                format!("page={huge}&per_page=1"),
                format!("page={huge}&per_page={huge}"),
                format!("after={huge}"),
                format!("after={huge}&per_page={huge}"),
            ] {
                let answer = admin.get(&format!("{path}?{query}")).await;
                assert!(ids(&answer, name).is_empty(), "{query}");
                assert_eq!(answer.header("x-total-count"), "3");
                for address in links(&answer).values() {
                    admin.get(address).await.ok();
                }
            }
        }
    }
}

#[service_test(with_items(20))]
async fn following_next_neither_repeats_nor_skips_during_writes(admin: Client) {
    for (path, name) in LISTS {
        let mut seen = Vec::new();
        let mut next = Some(format!("{path}?page=1&per_page=4"));
        // The key with id 1 is the caller's own.
        let mut leaving = [2, 3, 9, 4, 17, 12].into_iter();
        let mut gone_unseen = Vec::new();
        let mut rounds = 0;
        while let Some(address) = next {
            let page = admin.get(&address).await;
            seen.extend(ids(&page, name));
            next = links(&page).remove("next");

            for id in leaving.by_ref().take(2) {
                admin.delete(&format!("{path}/{id}")).await.ok();
                if !seen.contains(&id) {
                    gone_unseen.push(id);
                }
            }
            // Later items are last, so the walk reaches them.
            if rounds < 3 {
                add(&admin, path, 2).await;
            }
            rounds += 1;
        }
        assert_eq!(gone_unseen, [9, 17]);
        let stayed = (1..=26).filter(|id| !gone_unseen.contains(id));
        assert_eq!(seen, stayed.collect::<Vec<_>>(), "{path}");
    }
}
