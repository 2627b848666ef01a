//! ARCHITECTURE.md names only what exists: every path in it leads to a file or folder, and every
//! identifier in it occurs in the sources.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Where a path in the document may begin.
const ROOTS: [&str; 4] = [
    "",
    "crates/server/src",
    "crates/kernel/src",
    "crates/db/src",
];
/// Where identifiers are looked for.
const SOURCES: [&str; 7] = [
    "src", "crates", "tests", "bench", "fuzz", "scripts", "examples",
];
const ENDINGS: [&str; 9] = ["rs", "sql", "toml", "py", "sh", "json", "txt", "md", "tsv"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Everything between backticks, outside of fenced blocks.
fn code_spans(text: &str) -> Vec<String> {
    let mut spans = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            spans.extend(line.split('`').skip(1).step_by(2).map(str::to_owned));
        }
    }
    spans
}

fn is_path(span: &str) -> bool {
    let ending = span.rsplit_once('.').map(|(_, ending)| ending);
    let is_plain = !span.contains(['{', '<', '*', ' ', '(']) && !span.starts_with('/');
    is_plain && (span.contains('/') || ending.is_some_and(|ending| ENDINGS.contains(&ending)))
}

/// Whether some folder has it: `users/password.rs` is short for its path in the crate.
fn exists(path: &str) -> bool {
    ROOTS
        .iter()
        .any(|start| root().join(start).join(path).exists())
        || (!path.contains('/') && find_by_name(&root().join("crates"), path))
        || (!path.contains('/') && find_by_name(&root().join("src"), path))
}

fn find_by_name(folder: &Path, name: &str) -> bool {
    std::fs::read_dir(folder)
        .expect("a folder")
        .flatten()
        .any(|entry| match entry.path() {
            path if path.is_dir() => find_by_name(&path, name),
            path => path.file_name().is_some_and(|found| found == name),
        })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
        .flat_map(|word| [word].into_iter().chain(word.split('-')))
        .filter(|word| word.len() > 2)
}

fn collect_words(path: &Path, known: &mut HashSet<String>) {
    if path.is_dir() {
        if path.ends_with("target") || path.ends_with("node_modules") {
            return;
        }
        for entry in std::fs::read_dir(path).expect("a folder").flatten() {
            collect_words(&entry.path(), known);
        }
    } else if let Ok(text) = std::fs::read_to_string(path) {
        known.extend(words(&text).map(str::to_owned));
    }
}

#[test]
fn architecture_names_only_paths_and_identifiers_that_exist() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the document");
    let spans = code_spans(&text);
    assert!(spans.len() > 100, "only {} code spans", spans.len());

    let mut known = HashSet::new();
    for folder in SOURCES {
        collect_words(&root().join(folder), &mut known);
    }
    for file in ["Cargo.toml", "Makefile", "openapi.json"] {
        collect_words(&root().join(file), &mut known);
    }
    let mut missing = Vec::new();
    for span in spans {
        if is_path(&span) {
            if !exists(&span) {
                missing.push(format!("path {span}"));
            }
        } else {
            let unknown = words(&span).filter(|word| !known.contains(*word));
            missing.extend(unknown.map(|word| format!("identifier {word} in `{span}`")));
        }
    }
    assert_eq!(
        missing, [""; 0],
        "ARCHITECTURE.md names what does not exist"
    );
}
