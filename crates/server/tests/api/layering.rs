//! The rules that keep the way through the code short: HTTP in `http`, SQL in `store`, and no
//! slice behind another's back.

use std::path::{Path, PathBuf};

/// A source file, named from the root of the repository.
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

    fn may_hold_sql(&self) -> bool {
        self.is_store()
    }

    /// The slice it belongs to: `roles` for `crates/server/src/roles/store.rs`.
    fn slice(&self) -> Option<&str> {
        let inner = self.path.strip_prefix("crates/server/src/")?;
        inner.split_once('/').map(|(slice, _)| slice)
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    for folder in [
        "crates/kernel/src",
        "crates/server/src",
        "crates/demo/src",
        "src",
    ] {
        collect(&root(), folder, &mut found);
    }
    assert!(found.len() > 40, "the sources are where they were");
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

/// Every place where `breaks` says so, as `path:line: text`.
fn offences(breaks: impl Fn(&Source, &str) -> bool) -> Vec<String> {
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

/// Whether `word` stands in `line` on its own.
fn mentions(line: &str, word: &str) -> bool {
    let part_of_a_name = |text: char| text.is_alphanumeric() || text == '_';
    line.match_indices(word).any(|(start, _)| {
        let before = line[..start].chars().next_back();
        let after = line[start + word.len()..].chars().next();
        !before.is_some_and(part_of_a_name) && !after.is_some_and(part_of_a_name)
    })
}

#[test]
fn only_http_knows_the_web_framework() {
    let found = offences(|source, line| {
        !source.is_http()
            && ["axum", "hyper", "aide"]
                .iter()
                .any(|word| mentions(line, word))
    });
    assert_eq!(found, [""; 0]);
}

#[test]
fn sql_is_in_stores_only() {
    let found = offences(|source, line| {
        let verbs = ["SELECT ", "INSERT ", "UPDATE ", "DELETE "];
        let sql = verbs.iter().any(|verb| line.contains(&format!("\"{verb}")));
        sql && !source.may_hold_sql()
    });
    assert_eq!(found, [""; 0]);
}

#[test]
fn a_store_is_its_slices_own() {
    let slices: Vec<String> = sources()
        .iter()
        .filter(|source| source.is_store())
        .filter_map(|source| source.slice().map(str::to_owned))
        .collect();
    assert!(slices.contains(&"roles".to_owned()), "{slices:?}");
    let found = offences(|source, line| {
        slices
            .iter()
            .any(|slice| source.slice() != Some(slice) && line.contains(&format!("{slice}::store")))
    });
    assert_eq!(found, [""; 0]);
    let opened = offences(|_, line| line.starts_with("pub") && mentions(line, "mod store"));
    assert_eq!(opened, [""; 0], "a store is a private module");
}

#[test]
fn a_store_knows_nothing_of_http() {
    let found = offences(|source, line| source.is_store() && mentions(line, "http"));
    assert_eq!(found, [""; 0]);
}
