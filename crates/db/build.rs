//! Generates the list of migrations, so that adding one takes only its two files.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=migrations");
    let root = env::var("CARGO_MANIFEST_DIR").expect("set by cargo");
    let folder = Path::new(&root).join("migrations");
    let names = migration_names(&folder.join("sqlite"));
    assert_eq!(
        names,
        migration_names(&folder.join("postgres")),
        "each migration needs a file in migrations/sqlite and one of the same name in \
         migrations/postgres"
    );
    let mut list = String::from("&[\n");
    for (i, name) in names.iter().enumerate() {
        // Use relative paths: builds in two folders must not differ.
        let text = |engine: &str| {
            format!(
                "include_str!(concat!(env!(\"CARGO_MANIFEST_DIR\"), \"/migrations/{engine}/{name}.sql\"))"
            )
        };
        writeln!(
            list,
            "Migration {{ version: {}, name: {name:?}, sqlite: {}, postgres: {} }},",
            i + 1,
            text("sqlite"),
            text("postgres"),
        )
        .expect("writing to a string cannot fail");
    }
    list.push(']');
    let out = env::var("OUT_DIR").expect("set by cargo");
    fs::write(Path::new(&out).join("migrations.rs"), list).expect("OUT_DIR is writable");
}

fn migration_names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("the folder exists");
    let mut names: Vec<String> = files
        .map(|file| file.expect("the folder is readable").path())
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}
