//! Checks that any command template renders one line, in which no name adds a quote or white space.
#![cfg_attr(fuzzing, no_main)]

use game_servers::command_template::{CommandTemplate, Values};
use kernel::types::SteamId;
use libfuzzer_sys::fuzz_target;

fn separators(command: &str) -> usize {
    let is_separator = |c: char| c.is_whitespace() || c.is_control() || "\"';{}()".contains(c);
    command.chars().filter(|c| is_separator(*c)).count()
}

// The first line is a template, the rest a name.
fuzz_target!(|text: &str| {
    let (template, name) = text.split_once('\n').unwrap_or((text, ""));
    let Ok(template) = CommandTemplate::parse(template) else {
        return;
    };
    let render = |username: &str| {
        let values = Values {
            steam_id: SteamId::of_account(1),
            discord_id: Some(80_351_110_224_678_912),
            username: username.to_owned(),
            ..Values::default()
        };
        template.render(&values).expect("all profiles are linked")
    };
    assert_eq!(separators(&render(name)), separators(&render("a")));
});
