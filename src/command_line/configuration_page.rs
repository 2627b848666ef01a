//! The table in docs/configuration.md is made from the options. `UPDATE_CONFIGURATION=1` rewrites it.

use std::path::Path;

use clap::Arg;

use super::declared;

const BEGIN: &str = "<!-- Made from the options by a test; do not edit. -->\n";

/// The bounds of a number, from the message that refuses a word.
fn bounds(flag: &str) -> Option<String> {
    let refused = declared().try_get_matches_from(["steward", &format!("--{flag}=word")]);
    let message = refused.err()?.to_string();
    let (_, bounds) = message.split_once("whole number ")?;
    let bounds = bounds.lines().next()?.trim_start_matches("of ");
    let (first, rest) = bounds.split_at_checked(1)?;
    Some(format!(" {}{rest}.", first.to_uppercase()))
}

fn row(arg: &Arg) -> String {
    let flag = arg.get_long().expect("every option has a flag");
    let variable = format!("STEWARD_{}", flag.replace('-', "_").to_uppercase());
    assert_eq!(arg.get_env().and_then(|it| it.to_str()), Some(&*variable));
    let value = &arg.get_value_names().expect("every option has a value")[0];
    let defaults = arg.get_default_values().iter();
    let default = defaults.map(|it| format!(" `{}`", it.to_string_lossy()));
    let help = arg.get_help().expect("every option has a help text");
    let possible = arg.get_possible_values();
    let names: Vec<&str> = possible.iter().map(|it| it.get_name()).collect();
    let names = match &names[..] {
        [] | ["on", "off"] => String::new(),
        names => format!(" One of {}.", names.join(", ")),
    };
    // Clap drops the full stop.
    let help = help.to_string().replace('\n', " ");
    let help = help.trim_end_matches('.');
    let bounds = bounds(flag).unwrap_or_default();
    let name = format!("`--{flag} {value}`").replace('|', "\\|");
    let default: String = default.collect();
    format!("| {name} |{default} | {help}.{bounds}{names} |\n")
}

#[test]
fn the_configuration_page_has_all_options() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/configuration.md");
    let page = std::fs::read_to_string(&file).expect("the page");
    let (text, _) = page.split_once(BEGIN).expect("the beginning of the table");

    let command = declared();
    let options = command.get_arguments().filter(|arg| arg.is_global_set());
    let rows: String = options.map(row).collect();
    let expected = format!("{text}{BEGIN}\n| option | default | meaning |\n|---|---|---|\n{rows}");
    if std::env::var_os("UPDATE_CONFIGURATION").is_some() {
        std::fs::write(file, expected).expect("it is written");
    } else {
        assert_eq!(page, expected, "see the comment on top of this file");
    }
}
