//! Tests of the files of this repository: what its documents name, and who imports whom.

mod documents;
mod layering;

use std::path::PathBuf;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}
