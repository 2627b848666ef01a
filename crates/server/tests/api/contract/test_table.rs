//! `test_table.tsv` names the tests of every operation, and these tests exist.

use std::collections::BTreeSet;
use std::path::Path;

use super::document::all_operations;
use crate::support::TestApp;

/// Stands for all operations.
const ALL: &str = "*";

/// The operation, the tests that show it working, and those of its errors.
fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let lines = include_str!("test_table.tsv").lines();
    lines.filter(|line| !line.starts_with('#')).map(|line| {
        let (operation, tests) = line.split_once('\t').unwrap_or((line, ""));
        let (works, errors) = tests.split_once('\t').unwrap_or((tests, ""));
        (operation, works, errors)
    })
}

#[service_test]
async fn every_operation_has_a_row(app: TestApp) {
    let mut documented = BTreeSet::new();
    for operation in all_operations(&app).await {
        documented.insert(operation.id);
    }
    let mut listed = BTreeSet::new();
    for (operation, works, _) in rows().filter(|(operation, ..)| *operation != ALL) {
        assert!(
            !works.is_empty(),
            "{operation} has no test that shows it working"
        );
        assert!(
            listed.insert(operation.to_owned()),
            "{operation} has two rows"
        );
    }
    assert_eq!(
        listed, documented,
        "test_table.tsv does not have the operations of the OpenAPI document"
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
            || line.starts_with("#[service_test")
            || (is_test && line.starts_with("#["));
        found
    })
}

#[test]
fn every_named_test_exists() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/api");
    let mut named = 0;
    for (_, works, errors) in rows() {
        for reference in works.split(' ').chain(errors.split(' ')) {
            if reference.is_empty() {
                continue;
            }
            let (file, test) = reference.split_once("::").expect("file::test");
            let source = std::fs::read_to_string(folder.join(file));
            let source = source.unwrap_or_else(|error| panic!("{reference}: {error}"));
            assert!(has_test(&source, test), "{reference}: no such test");
            named += 1;
        }
    }
    assert!(named > 200, "{named} tests are named");
}
