use serde_json::json;

use super::{ITEMS, ids, item};
use crate::support::{Client, TestApp};

/// Twenty-five items, at positions that differ from the order of the ids.
async fn filled(admin: &Client) -> Vec<i64> {
    let mut places = Vec::new();
    for n in 0..25 {
        let position = 4 - n % 5;
        let body = json!({ "title": format!("Item {n}"), "position": position });
        places.push((position, item(admin, body).await));
    }
    places.sort_unstable();
    places.into_iter().map(|(_, id)| id).collect()
}

/// The path of a relation in `Link`.
fn link(header: &str, relation: &str) -> Option<String> {
    let wanted = format!("; rel=\"{relation}\"");
    header.split(", ").find_map(|link| {
        let address = link.strip_suffix(&wanted)?;
        Some(address.trim_matches(['<', '>']).to_owned())
    })
}

#[service_test]
async fn items_are_ordered_by_position_then_id_with_20_per_page(admin: Client) {
    let order = filled(&admin).await;

    let first = admin.get(ITEMS).await;
    assert_eq!(ids(&first.ok()["navbar_items"]), order[..20]);
    assert_eq!(first.header("x-total-count"), "25");
    let links = first.header("link");
    assert_eq!(
        link(links, "first").as_deref(),
        Some("/api/navbar-items?page=1&per_page=20")
    );
    assert_eq!(
        link(links, "last").as_deref(),
        Some("/api/navbar-items?page=2&per_page=20")
    );
    assert_eq!(link(links, "prev"), None);

    let second = admin.get("/api/navbar-items?page=2").await;
    assert_eq!(ids(&second.ok()["navbar_items"]), order[20..]);
    let links = second.header("link");
    assert_eq!(
        link(links, "prev").as_deref(),
        Some("/api/navbar-items?page=1&per_page=20")
    );
    assert_eq!(link(links, "next"), None);

    let third = admin
        .get("/api/navbar-items?page=3&per_page=1000000000000000000000")
        .await;
    assert_eq!(third.ok(), json!({ "navbar_items": [] }));
    assert_eq!(third.header("x-total-count"), "25");
    let far = "/api/navbar-items?page=9223372036854775807&per_page=100";
    assert_eq!(admin.get(far).await.ok(), json!({ "navbar_items": [] }));
}

#[service_test]
async fn following_next_neither_repeats_nor_skips_items_during_writes(admin: Client) {
    let order = filled(&admin).await;

    let mut met = Vec::new();
    let mut next = Some("/api/navbar-items?per_page=4".to_owned());
    while let Some(address) = next {
        let page = admin.get(&address).await;
        met.extend(ids(&page.ok()["navbar_items"]));
        next = link(page.header("link"), "next");
        // Before all items read so far, and the last one read.
        let early = json!({ "title": "Early", "position": 0 });
        if met.len() == 8 {
            admin.delete(&super::path(met[7])).await.ok();
            item(&admin, early).await;
        }
    }
    assert_eq!(met, order);
}

#[service_test]
async fn an_empty_navigation_has_one_page(app: TestApp) {
    let empty = app.admin().get(ITEMS).await;
    assert_eq!(empty.ok(), json!({ "navbar_items": [] }));
    assert_eq!(empty.header("x-total-count"), "0");
    let last = link(empty.header("link"), "last");
    assert_eq!(
        last.as_deref(),
        Some("/api/navbar-items?page=1&per_page=20")
    );
}

#[service_test]
async fn an_invalid_query_of_the_navigation_gives_422(admin: Client) {
    for bad in ["0", "-1", "x", "1.5", ""] {
        let sentence = "must be an integer of at least 1";
        let query = format!("{ITEMS}?page={bad}&per_page={bad}");
        let faults = [("page", sentence), ("per_page", sentence)];
        admin.get(&query).await.invalid(&faults);
    }
    for bad in ["3", "x.y", "-1.2", ""] {
        let query = format!("{ITEMS}?after={bad}");
        let faults = [("after", "must come from a Link header")];
        admin.get(&query).await.invalid(&faults);
    }
    let strict = admin.with("Prefer", "handling=strict");
    let faults = [("pge", "is not a field of this request")];
    strict.get("/api/navbar-items?pge=2").await.invalid(&faults);
    admin.get("/api/navbar-items?pge=2").await.ok();
}
