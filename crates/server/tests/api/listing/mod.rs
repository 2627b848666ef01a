//! Lists that can be filtered and ordered, and their exports.

mod exports;
mod invoices;
mod users;
mod walking;

use reqwest::header::HeaderMap;
use serde_json::Value;

use crate::support::{Answer, Client};

/// The address of the next page.
fn next(answer: &Answer) -> Option<String> {
    let links = answer.header("link").split(", ");
    let mut next = links.filter_map(|link| link.strip_suffix(">; rel=\"next\""));
    next.next()
        .map(|link| link.trim_start_matches('<').to_owned())
}

fn items(answer: &Answer, name: &str) -> Vec<Value> {
    answer.ok()[name].as_array().expect("a list").clone()
}

fn id(item: &Value) -> i64 {
    item["id"].as_i64().expect("an id")
}

/// Every item from this page on. The total is the same on every page.
async fn walk(admin: &Client, path: &str, name: &str) -> Vec<Value> {
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

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    let value = headers.get(name).unwrap_or_else(|| panic!("no {name}"));
    value.to_str().expect("a readable header")
}
