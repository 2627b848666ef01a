use serde_json::Value;

use super::{Answer, Client};

/// The path of the next page.
pub fn next(answer: &Answer) -> Option<String> {
    let links = answer.headers.get("link")?.to_str().expect("text");
    let mut next = links
        .split(", ")
        .filter_map(|link| link.strip_suffix(">; rel=\"next\""));
    next.next()
        .map(|link| link.trim_start_matches('<').to_owned())
}

pub fn items(answer: &Answer, name: &str) -> Vec<Value> {
    answer.ok()[name].as_array().expect("a list").clone()
}

pub fn id(item: &Value) -> i64 {
    item["id"].as_i64().expect("an id")
}

pub fn ids(answer: &Answer, name: &str) -> Vec<i64> {
    items(answer, name).iter().map(id).collect()
}

/// The ids from this page on, in the order in which they were read.
pub async fn walk_ids(admin: &Client, path: &str, name: &str) -> Vec<i64> {
    let mut met = Vec::new();
    let mut following = Some(path.to_owned());
    while let Some(path) = following {
        let answer = admin.get(&path).await;
        met.extend(ids(&answer, name));
        following = next(&answer);
    }
    met
}

/// All items from this page on. Asserts that X-Total-Count is the same on every page.
pub async fn walk(admin: &Client, path: &str, name: &str) -> Vec<Value> {
    let mut answer = admin.get(path).await;
    let mut found = items(&answer, name);
    let total = answer.header("x-total-count").to_owned();
    while let Some(path) = next(&answer) {
        answer = admin.get(&path).await;
        assert_eq!(answer.header("x-total-count"), total, "{path}");
        found.extend(items(&answer, name));
    }
    assert_eq!(found.len().to_string(), total, "{path}");
    found
}
