//! Checks that any answer of a game server, in any protocol, gives a report or a failure, and that
//! no text or list of a report exceeds its limit.
#![cfg_attr(fuzzing, no_main)]

use game_query::Protocol;
use libfuzzer_sys::fuzz_target;

const PROTOCOLS: [Protocol; 11] = [
    Protocol::Valve,
    Protocol::GoldSrc,
    Protocol::Quake1,
    Protocol::Quake2,
    Protocol::Quake3,
    Protocol::MinecraftJava,
    Protocol::MinecraftBedrock,
    Protocol::Gamespy1,
    Protocol::Gamespy2,
    Protocol::Gamespy3,
    Protocol::Unreal2,
];

fuzz_target!(|input: (u8, Vec<Vec<u8>>)| {
    let (choice, answers) = input;
    let protocol = PROTOCOLS[usize::from(choice) % PROTOCOLS.len()];
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build()
        .expect("a runtime");
    let Ok(report) = runtime.block_on(game_query::query_scripted(protocol, answers)) else {
        return;
    };
    assert!(report.players.len() <= 256);
    let texts = [Some(report.map), report.name, report.version];
    let names = report.players.into_iter().map(|player| player.name);
    for text in texts.into_iter().flatten().chain(names) {
        assert!(text.chars().count() <= 255);
        assert!(!text.contains(char::is_control));
    }
});
