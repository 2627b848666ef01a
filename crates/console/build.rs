//! Refuses a release build without the console: the program would serve nothing at `/console/`.

use std::fs;
use std::path::Path;

const DIST: &str = "../../console/dist";

fn main() {
    // Reruns also when files are added, which the embedding does not notice.
    println!("cargo::rerun-if-changed={DIST}");
    println!("cargo::rerun-if-changed=build.rs");
    let is_release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if let Err(problem) = check(Path::new(DIST)) {
        let level = if is_release { "error" } else { "warning" };
        println!(
            "cargo::{level}=console/dist {problem}; run `make console`, or restore it from git"
        );
    }
}

fn check(dist: &Path) -> Result<(), String> {
    if !dist.join("index.html").is_file() {
        return Err("lacks index.html".to_owned());
    }
    check_compressed(dist)
}

/// Checks that every text file has both compressed forms. The service compresses none itself.
fn check_compressed(folder: &Path) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("cannot be read: {error}"))?;
    for entry in entries {
        let path = entry
            .map_err(|error| format!("cannot be read: {error}"))?
            .path();
        let name = path.display().to_string();
        if path.is_dir() {
            check_compressed(&path)?;
        } else if [".js", ".css", ".svg"]
            .iter()
            .any(|ending| name.ends_with(ending))
        {
            for suffix in ["br", "gz"] {
                let compressed = format!("{name}.{suffix}");
                if !Path::new(&compressed).is_file() {
                    let shown = compressed.trim_start_matches(DIST).trim_start_matches('/');
                    return Err(format!("lacks {shown}"));
                }
            }
        }
    }
    Ok(())
}
