//! The layers of the code: HTTP only in `http`, SQL only in `store`, no slice that imports another
//! slice's `http` or `store`, no circle of slices and no large circle of files that use each other.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::root;

/// The folders with sources that have layers.
const ROOTS: &[&str] = &[
    "crates/kernel/src",
    "crates/accounts/src",
    "crates/payments/src",
    "crates/content/src",
    "crates/discord/src",
    "crates/game-servers/src",
    "crates/moderation/src",
    "crates/platform/src",
    "crates/server/src",
    "crates/demo/src",
    "crates/import/src",
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

    /// The slice it belongs to: `roles` for `crates/accounts/src/roles/store.rs`.
    fn slice(&self) -> Option<&str> {
        let mut roots = ROOTS.iter();
        let inner = roots.find_map(|root| self.path.strip_prefix(&format!("{root}/")))?;
        inner.split_once('/').map(|(slice, _)| slice)
    }
}

fn sources() -> Vec<Source> {
    let mut found = Vec::new();
    for folder in ROOTS {
        collect(&root(), folder, &mut found);
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
    // A name in quotes is that of a target of the log.
    let uses = |line: &str, word: &str| mentions(&line.replace(&format!("\"{word}"), ""), word);
    let found = violations(|source, line| {
        !source.is_http()
            && ["axum", "hyper", "aide"]
                .iter()
                .any(|word| uses(line, word))
    });
    assert_eq!(found, [""; 0]);
}

#[test]
fn the_crate_of_the_console_uses_no_other_crate_and_only_the_program_uses_it() {
    let found = violations(
        |source, line| match source.path.starts_with("crates/console/") {
            true => [
                "db",
                "kernel",
                "server",
                "demo",
                "accounts",
                "payments",
                "game_servers",
                "moderation",
                "platform",
            ]
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

/// The modules of one crate by their paths, such as `crate::users::store`.
struct Modules {
    code: BTreeMap<String, Code>,
    /// The paths of re-exported items, by the paths they are exported as.
    exports: BTreeMap<String, String>,
}

/// A file without comments and tests.
struct Code {
    file: String,
    /// The paths of `use` declarations, and whether they are re-exports.
    imports: Vec<(String, bool)>,
    body: String,
}

impl Code {
    fn of(source: &Source) -> Self {
        let file = source.path.clone();
        let (mut imports, mut body) = (Vec::new(), String::new());
        let text = source.text.split("#[cfg(test)]\nmod tests").next();
        let lines = text.into_iter().flat_map(str::lines);
        let lines = lines.filter_map(|line| line.split("//").next());
        for part in lines.collect::<Vec<_>>().join("\n").split(';') {
            let (before, tree) = part.rsplit_once("use ").unwrap_or((part, ""));
            let visibility = before.rsplit('\n').next().unwrap_or_default().trim();
            if visibility.is_empty() || visibility.starts_with("pub") {
                let paths = expanded(tree).into_iter();
                imports.extend(paths.map(|path| (path, !visibility.is_empty())));
                body += before;
            } else {
                body += part;
            }
        }
        Self {
            file,
            imports,
            body,
        }
    }
}

/// The paths of a tree of imports: `a::{b, c::{d, e}}` has `a::b`, `a::c::d` and `a::c::e`.
fn expanded(tree: &str) -> Vec<String> {
    let Some((start, rest)) = tree.split_once('{') else {
        return vec![tree.trim().to_owned()];
    };
    let inner = rest.trim_end().strip_suffix('}').unwrap_or(rest);
    let mut depth = 0;
    let branches = inner.split(|letter: char| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ',' && depth == 0
    });
    let branches = branches.filter(|branch| !branch.trim().is_empty());
    let paths = branches.flat_map(expanded);
    paths
        .map(|path| format!("{}{path}", start.trim()))
        .collect()
}

impl Modules {
    fn of(folder: &str) -> Self {
        let mut sources = Vec::new();
        collect(&root(), folder, &mut sources);
        let code = sources.iter().map(|source| {
            let path = source.path[folder.len()..].trim_end_matches(".rs");
            let names = path.split('/').filter(|name| !name.is_empty());
            let names = names.filter(|name| !["lib", "main", "mod"].contains(name));
            let path: Vec<&str> = ["crate"].into_iter().chain(names).collect();
            (path.join("::"), Code::of(source))
        });
        let modules = Self {
            code: code.collect(),
            exports: BTreeMap::new(),
        };
        let mut exports = BTreeMap::new();
        for (module, code) in &modules.code {
            for (path, _) in code.imports.iter().filter(|(_, is_export)| *is_export) {
                let (path, name) = renamed(path);
                if let Some(path) = modules.absolute(module, path) {
                    exports.insert(format!("{module}::{name}"), path);
                }
            }
        }
        Self { exports, ..modules }
    }

    /// A path of this crate, from its root. `None` for one of another crate.
    fn absolute(&self, module: &str, path: &str) -> Option<String> {
        let (first, rest) = path.split_once("::").unwrap_or((path, "self"));
        match first {
            "crate" => Some(path.to_owned()),
            "self" => Some(format!("{module}::{rest}")),
            "super" if rest.starts_with("super") => {
                self.absolute(module.rsplit_once("::")?.0, rest)
            }
            "super" => Some(format!("{}::{rest}", module.rsplit_once("::")?.0)),
            _ if self.code.contains_key(&format!("{module}::{first}")) => {
                Some(format!("{module}::{path}"))
            }
            _ => None,
        }
    }

    /// The module that defines the item at a path.
    fn definer(&self, path: &str) -> Option<&str> {
        let mut module = path;
        while !self.code.contains_key(module) {
            module = module.rsplit_once("::")?.0;
        }
        let name = path[module.len()..].split("::").nth(1).unwrap_or_default();
        match self.exports.get(&format!("{module}::{name}")) {
            Some(defined) => self.definer(defined),
            None => self.code.get_key_value(module).map(|(module, _)| &**module),
        }
    }

    /// For each module, those that define what it uses. A re-export alone is no use.
    fn graph(&self) -> Graph<'_> {
        let mut graph = Graph::new();
        for (module, code) in &self.code {
            let imports = code.imports.iter().filter_map(|(path, is_export)| {
                let (path, name) = renamed(path);
                (!is_export || mentions(&code.body, name)).then_some(path)
            });
            let is_part = |letter: char| letter.is_alphanumeric() || "_:".contains(letter);
            let words = code.body.split(|letter| !is_part(letter));
            let words = words.map(|word| word.trim_matches(':'));
            let used = imports.chain(words.filter(|word| word.contains("::")));
            let used = used.filter_map(|path| self.absolute(module, path));
            let used = used.filter_map(|path| self.definer(&path));
            graph.insert(module, used.filter(|used| used != module).collect());
        }
        graph
    }
}

/// The path of an import, and the name that it has here.
fn renamed(import: &str) -> (&str, &str) {
    let name = import.rsplit("::").next().unwrap_or_default();
    import.split_once(" as ").unwrap_or((import, name))
}

type Graph<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

/// The largest groups in which each node reaches all others.
fn circles<'a>(graph: &Graph<'a>) -> Vec<Vec<&'a str>> {
    let reach = |start: &'a str| {
        let (mut reached, mut open) = (BTreeSet::new(), vec![start]);
        while let Some(node) = open.pop() {
            let next = graph.get(node).into_iter().flatten();
            open.extend(next.filter(|next| reached.insert(**next)));
        }
        reached
    };
    let reached: Graph<'a> = graph.keys().map(|node| (*node, reach(node))).collect();
    let circles = reached.iter().map(|(node, others)| {
        let is_back = |other: &&&str| reached.get(*other).is_some_and(|back| back.contains(node));
        let circle: Vec<&str> = others.iter().filter(is_back).copied().collect();
        (node, circle)
    });
    let circles = circles.filter(|(node, circle)| circle.first() == Some(node));
    circles.map(|(_, circle)| circle).collect()
}

fn crates() -> Vec<Modules> {
    let folders = std::fs::read_dir(root().join("crates")).expect("a folder");
    let names = folders.map(|entry| entry.expect("an entry").file_name());
    let folders = names.map(|name| format!("crates/{}/src", name.display()));
    let folders = folders.chain(["src".to_owned()]);
    folders.map(|folder| Modules::of(&folder)).collect()
}

#[test]
fn no_more_than_5_files_use_each_other_in_a_circle() {
    let mut found = Vec::new();
    for modules in crates() {
        let large = circles(&modules.graph()).into_iter();
        let large = large.filter(|circle| circle.len() > 5);
        found.extend(large.map(|circle| {
            let files = circle.iter().map(|module| &*modules.code[*module].file);
            files.collect::<Vec<_>>().join(" ")
        }));
    }
    assert_eq!(found, [""; 0]);
}

#[test]
fn no_slices_use_each_other_in_a_circle() {
    let slices = slices();
    let slice_of = |module: &str| slices.get(module.split("::").nth(1)?).map(String::as_str);
    let mut used_slices = 0;
    for modules in crates() {
        let mut graph = Graph::new();
        for (module, used) in modules.graph() {
            let Some(slice) = slice_of(module) else {
                continue;
            };
            let used = used.into_iter().filter_map(slice_of);
            let used = used.filter(|used| *used != slice);
            graph.entry(slice).or_default().extend(used);
        }
        used_slices += graph.values().map(BTreeSet::len).sum::<usize>();
        assert_eq!(circles(&graph), [[""; 0]; 0]);
    }
    assert!(used_slices > 5, "no slice uses another");
}
