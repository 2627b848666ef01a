//! Lists the migrations, so that adding one is adding its two files.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo:rerun-if-changed=migrations");
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo sets it");
    let folder = Path::new(&root).join("migrations");
    let names = names(&folder.join("sqlite"));
    assert_eq!(
        names,
        self::names(&folder.join("postgres")),
        "each migration has a file for either engine"
    );
    let mut list = String::from("&[\n");
    for (i, name) in names.iter().enumerate() {
        let text = |engine: &str| folder.join(engine).join(format!("{name}.sql"));
        let (sqlite, postgres) = (text("sqlite"), text("postgres"));
        writeln!(
            list,
            "Migration {{ version: {}, name: {name:?}, sqlite: include_str!({sqlite:?}), \
             postgres: include_str!({postgres:?}) }},",
            i + 1
        )
        .expect("text grows");
    }
    list.push(']');
    let out = env::var("OUT_DIR").expect("cargo sets it");
    fs::write(Path::new(&out).join("migrations.rs"), list).expect("the list is written");
}

fn names(folder: &Path) -> Vec<String> {
    let files = fs::read_dir(folder).expect("the folder is there");
    let mut names: Vec<String> = files
        .map(|file| file.expect("a file").path())
        .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
        .collect();
    names.sort();
    names
}
