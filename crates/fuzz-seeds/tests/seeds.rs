//! Each seed of each fuzz target. The inputs that fuzzing finds are kept as seeds, so they are tested
//! on every machine, also without libFuzzer.

use std::path::Path;

#[path = "../../../fuzz/targets/accept.rs"]
mod accept;
#[path = "../../../fuzz/targets/command_template.rs"]
mod command_template;
#[path = "../../../fuzz/targets/cursor.rs"]
mod cursor;
#[path = "../../../fuzz/targets/dump.rs"]
mod dump;
#[path = "../../../fuzz/targets/entity_tags.rs"]
mod entity_tags;
#[path = "../../../fuzz/targets/forwarded_for.rs"]
mod forwarded_for;
#[path = "../../../fuzz/targets/game_query.rs"]
mod game_query;
#[path = "../../../fuzz/targets/rcon.rs"]
mod rcon;
#[path = "../../../fuzz/targets/request_input.rs"]
mod request_input;
#[path = "../../../fuzz/targets/sign_in_answer.rs"]
mod sign_in_answer;
#[path = "../../../fuzz/targets/sql_dialect.rs"]
mod sql_dialect;

/// Runs all seeds of a target.
fn run(target: &str, run: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fuzz/seeds")
        .join(target);
    let seeds: Vec<_> = folder.read_dir().expect("a folder of seeds").collect();
    assert!(!seeds.is_empty(), "{target} has no seeds");
    for seed in seeds {
        let path = seed.expect("a seed").path();
        println!("{}", path.display());
        run(&std::fs::read(&path).expect("readable"));
    }
}

macro_rules! test_seeds {
    ($($target:ident)*) => {
        $(
            #[test]
            fn $target() {
                run(stringify!($target), self::$target::run);
            }
        )*

        #[test]
        fn every_target_is_tested() {
            let targets = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/targets");
            for target in targets.read_dir().expect("a folder of targets") {
                let path = target.expect("a target").path();
                let name = path.file_stem().and_then(|name| name.to_str()).expect("a name");
                assert!([$(stringify!($target)),*].contains(&name), "{name}");
            }
        }
    };
}

test_seeds! {
    accept
    command_template
    cursor
    dump
    entity_tags
    forwarded_for
    game_query
    rcon
    request_input
    sign_in_answer
    sql_dialect
}
