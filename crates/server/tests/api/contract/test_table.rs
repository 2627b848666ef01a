//! The tables in `docs/testing.md` name the tests of every operation, and these tests exist.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::document::all_operations;
use crate::support::TestApp;

/// The heading of the section that holds the tables.
const SECTION: &str = "## Operations and their tests";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The lines of the section.
fn section() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("docs/testing.md")).expect("docs/testing.md");
    let lines = text.lines().skip_while(|line| *line != SECTION).skip(1);
    let lines = lines.take_while(|line| !line.starts_with("## "));
    let lines: Vec<String> = lines.map(str::to_owned).collect();
    assert!(!lines.is_empty(), "docs/testing.md has no {SECTION}");
    lines
}

/// The parts of a line in backquotes.
fn quoted(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

/// The rows about single operations: `METHOD path` by operation.
fn rows() -> BTreeMap<String, String> {
    let mut rows = BTreeMap::new();
    for line in section() {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        let ["", operation, path, works, _, ""] = cells[..] else {
            continue;
        };
        let ([operation], [path]) = (&quoted(operation)[..], &quoted(path)[..]) else {
            continue;
        };
        assert!(
            !quoted(works).is_empty(),
            "{operation} has no test that shows it working"
        );
        let earlier = rows.insert((*operation).to_owned(), (*path).to_owned());
        assert_eq!(earlier, None, "{operation} has two rows");
    }
    rows
}

#[tokio::test(flavor = "multi_thread")]
async fn every_operation_has_a_row() {
    let app = TestApp::start().await;
    let mut documented = BTreeMap::new();
    for operation in all_operations(&app).await {
        let path = format!("{} {}", operation.method, operation.path);
        documented.insert(operation.id, path);
    }
    assert_eq!(
        rows(),
        documented,
        "the table of operations in docs/testing.md is not that of the OpenAPI document"
    );
}

/// Whether the source has a test function of this name.
fn has_test(source: &str, name: &str) -> bool {
    let mut lines = source.lines().map(str::trim);
    let mut is_test = false;
    lines.any(|line| {
        let function = line.strip_prefix("async ").unwrap_or(line);
        let function = function.strip_prefix("fn ");
        let found = is_test && function.is_some_and(|it| it.starts_with(&format!("{name}(")));
        is_test = line.starts_with("#[test]")
            || line.starts_with("#[tokio::test")
            || (is_test && line.starts_with("#["));
        found
    })
}

#[test]
fn every_named_test_exists() {
    let folder = root().join("crates/server/tests/api");
    let mut named = 0;
    for line in section() {
        for reference in quoted(&line) {
            let (file, test) = match reference.split_once("::") {
                Some((file, test)) => (file, Some(test)),
                None => (reference, None),
            };
            if !file.ends_with(".rs") {
                continue;
            }
            let source = std::fs::read_to_string(folder.join(file));
            let source = source.unwrap_or_else(|error| panic!("{reference}: {error}"));
            if let Some(test) = test {
                assert!(has_test(&source, test), "{reference}: no such test");
            }
            named += 1;
        }
    }
    assert!(named > 200, "{named} tests are named");
}
