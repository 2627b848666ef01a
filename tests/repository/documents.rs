//! ARCHITECTURE.md names only what exists: every path in it leads to a file or folder, and every
//! identifier in it occurs in the sources. So does every path to sources and tests in the threat model.
//! The links between documents lead somewhere.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::root;

/// Where a path in the document may begin.
const ROOTS: [&str; 10] = [
    "",
    "crates/server/src",
    "crates/accounts/src",
    "crates/payments/src",
    "crates/content/src",
    "crates/discord/src",
    "crates/game-servers/src",
    "crates/platform/src",
    "crates/kernel/src",
    "crates/db/src",
];
/// Where identifiers are looked for.
const SOURCES: [&str; 7] = [
    "src", "crates", "tests", "bench", "fuzz", "scripts", "examples",
];
const ENDINGS: [&str; 9] = ["rs", "sql", "toml", "py", "sh", "json", "txt", "md", "tsv"];

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

/// Whether a path of the threat model exists: `kernel/secret` is short for `crates/kernel/src/secret`,
/// and `users/erasure.rs` for a test of the API.
fn is_defence_or_test(path: &str) -> bool {
    let (first, rest) = path.split_once('/').unwrap_or((path, ""));
    let places = [
        path.to_owned(),
        format!("crates/{first}/src/{rest}"),
        format!("crates/server/tests/api/{path}"),
    ];
    let exists = |place: &String| {
        let place = root().join(place);
        place.exists() || place.with_extension("rs").exists()
    };
    places.iter().any(exists)
}

#[test]
fn the_threat_model_names_only_sources_and_tests_that_exist() {
    let text = std::fs::read_to_string(root().join("docs/threat-model.md")).expect("the document");
    let mut paths = code_spans(&text);
    paths.retain(|span| is_path(span) && span.contains('/') && !span.contains("://"));
    assert!(paths.len() > 100, "only {} paths", paths.len());
    paths.retain(|path| !is_defence_or_test(path));
    assert_eq!(paths, [""; 0], "the threat model names what does not exist");
}

/// All documents below a folder.
fn documents(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        let is_ours = !name.starts_with('.') && !["target", "node_modules"].contains(&&*name);
        if path.is_dir() && is_ours {
            documents(&path, found);
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
}

/// The lines of a document that are not in a fenced block.
fn prose(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).expect("a document");
    let mut fenced = false;
    let lines = text.lines().filter(|line| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        !fenced && !is_fence
    });
    lines.map(str::to_owned).collect()
}

/// The anchors of the headings of a document, as GitHub makes them.
fn anchors(path: &Path) -> HashSet<String> {
    let lines = prose(path);
    let headings = lines.iter().filter(|line| line.starts_with('#'));
    let anchor = |line: &String| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn links_between_documents_lead_somewhere() {
    let mut found = Vec::new();
    documents(&root(), &mut found);
    let mut links = 0;
    let mut broken = Vec::new();
    for document in found {
        let text = prose(&document).join("\n");
        let targets = text.split("](").skip(1);
        for target in targets.filter_map(|rest| rest.split(')').next()) {
            if target.contains("://") {
                continue;
            }
            links += 1;
            let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
            let path = match file {
                "" => document.clone(),
                file => document.parent().expect("a folder").join(file),
            };
            if !path.exists() || (!anchor.is_empty() && !anchors(&path).contains(anchor)) {
                broken.push(format!("{}: {target}", document.display()));
            }
        }
    }
    assert!(links > 100, "only {links} links");
    assert_eq!(broken, [""; 0]);
}
