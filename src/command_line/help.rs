//! Help: the options of a command come before those that all commands accept.

/// The options that most calls of any command need. `-h` leaves the others to `--help`.
const SHOWN_BY_SHORT_HELP: [&str; 4] = ["config", "listen", "data_dir", "database_url"];

pub fn fold_common_options(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| {
        if !arg.is_global_set() {
            return arg;
        }
        let is_shown = SHOWN_BY_SHORT_HELP.contains(&arg.get_id().as_str());
        arg.help_heading("Common options")
            .hide_short_help(!is_shown)
    })
}
