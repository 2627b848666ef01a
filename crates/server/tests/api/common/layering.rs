//! The layers of the code: HTTP only in `http`, SQL only in `store`, and no slice that imports
//! another slice's `http` or `store`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folders with sources. The tests skip those that do not exist.
const ROOTS: &[&str] = &[
    "crates/kernel/src",
    "crates/server/src",
    "crates/demo/src",
    "crates/console/src",
    "src",
];

/// A source file, with its path from the root of the repository.
struct Source {
    path: String,
    text: String,
}

impl Source {
    fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    fn is_http(&self) -> bool {
        self.path.contains("/http/") || ["http.rs", "routes.rs"].contains(&self.name())
    }

    fn is_store(&self) -> bool {
        self.path.contains("/store/") || self.name() == "store.rs"
    }

    /// The slice it belongs to: `roles` for `crates/server/src/roles/store.rs`.
    fn slice(&self) -> Option<&str> {
        let mut roots = ROOTS.iter();
        let inner = roots.find_map(|root| self.path.strip_prefix(&format!("{root}/")))?;
        inner.split_once('/').map(|(slice, _)| slice)
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    for folder in ROOTS {
        if root().join(folder).is_dir() {
            collect(&root(), folder, &mut found);
        }
    }
    assert!(found.len() > 40, "the sources have moved");
    found
}

fn collect(root: &Path, folder: &str, found: &mut Vec<Source>) {
    for entry in std::fs::read_dir(root.join(folder)).expect("a folder") {
        let entry = entry.expect("an entry");
        let path = format!("{folder}/{}", entry.file_name().display());
        if entry.path().is_dir() {
            collect(root, &path, found);
        } else if path.ends_with(".rs") {
            let text = std::fs::read_to_string(entry.path()).expect("a readable file");
            found.push(Source { path, text });
        }
    }
}

/// Every line of code for which `breaks` holds, as `path:line: text`.
fn violations(breaks: impl Fn(&Source, &str) -> bool) -> Vec<String> {
    let mut offences = Vec::new();
    for source in sources() {
        for (number, line) in source.text.lines().enumerate() {
            let is_comment = line.trim_start().starts_with("//");
            if !is_comment && breaks(&source, line) {
                offences.push(format!("{}:{}: {}", source.path, number + 1, line.trim()));
            }
        }
    }
    offences
}

/// Whether `line` contains `word` as a whole word.
fn mentions(line: &str, word: &str) -> bool {
    let part_of_a_name = |text: char| text.is_alphanumeric() || text == '_';
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + word.len()..].chars().next();
        !before.is_some_and(part_of_a_name) && !after.is_some_and(part_of_a_name)
    })
}

#[test]
fn only_http_modules_use_the_web_framework() {
    let found = violations(|source, line| {
        !source.is_http()
            && ["axum", "hyper", "aide"]
                .iter()
                .any(|word| mentions(line, word))
    });
    assert_eq!(found, [""; 0]);
}

#[test]
fn the_crate_of_the_console_uses_no_other_crate_and_only_the_program_uses_it() {
    let found = violations(
        |source, line| match source.path.starts_with("crates/console/") {
            true => ["db", "kernel", "server", "demo"]
                .iter()
                .any(|name| mentions(line, name)),
            false => !source.path.starts_with("src/") && mentions(line, "web_console"),
        },
    );
    assert_eq!(found, [""; 0]);
}

#[test]
fn sql_is_in_stores_only() {
    let found = violations(|source, line| {
        let verbs = ["SELECT ", "INSERT ", "UPDATE ", "DELETE "];
        let sql = verbs.iter().any(|verb| line.contains(&format!("\"{verb}")));
        sql && !source.is_store()
    });
    assert_eq!(found, [""; 0]);
}

/// The slices: the folders with an `http` or a `store`.
fn slices() -> BTreeSet<String> {
    let sources = sources();
    let layered = sources
        .iter()
        .filter(|source| source.is_http() || source.is_store());
    let slices: BTreeSet<String> = layered
        .filter_map(|source| source.slice().map(str::to_owned))
        .filter(|slice| slice != "http")
        .collect();
    assert!(slices.contains("roles"), "{slices:?}");
    slices
}

/// The lines that reach into the `layer` of a slice from another slice, or from outside all slices.
/// A path in braces counts, too: `use crate::{users::http, ...}`.
fn imports_of(layer: &str) -> Vec<String> {
    let slices = slices();
    violations(|source, line| {
        slices.iter().any(|slice| {
            source.slice() != Some(slice.as_str()) && mentions(line, &format!("{slice}::{layer}"))
        })
    })
}

#[test]
fn a_store_is_private_to_its_slice() {
    assert_eq!(imports_of("store"), [""; 0]);
    let opened = violations(|_, line| line.starts_with("pub") && mentions(line, "mod store"));
    assert_eq!(opened, [""; 0], "a store is a private module");
}

#[test]
fn no_slice_imports_the_http_of_another() {
    let slices = slices();
    let is_from_a_slice = |found: &String| slices.iter().any(|s| found.contains(&format!("/{s}/")));
    let found: Vec<String> = imports_of("http")
        .into_iter()
        .filter(is_from_a_slice)
        .collect();
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_store_does_not_mention_http() {
    let found = violations(|source, line| source.is_store() && mentions(line, "http"));
    assert_eq!(found, [""; 0]);
}
