//! Hides passwords in console commands, for the audit log.

/// Verbs whose arguments are secret.
const SECRET_VERBS: [&str; 8] = [
    "adminlogin",
    "alogin",
    "auth",
    "login",
    "pass",
    "rcon",
    "rcon_pass",
    "register",
];
/// Verbs whose first argument decides whether the rest is secret.
const SETTERS: [&str; 8] = [
    "authme", "cvar", "set", "seta", "setinfo", "sets", "setu", "sm_cvar",
];
const MASK: &str = "***";

/// Replaces everything after a verb that takes a password by `***`. Statements are separated by
/// semicolons, and in the form `+set name value` by plus signs.
pub fn mask(command: &str) -> String {
    let statements: Vec<String> = command.split(';').map(mask_statement).collect();
    statements.join(";")
}

fn mask_statement(statement: &str) -> String {
    let mut shown = String::with_capacity(statement.len());
    let mut rest = statement;
    // The number of words since the start of the statement, and whether the first is a setter.
    let (mut position, mut is_setter) = (0, false);
    let mut is_masking = false;
    while !rest.is_empty() {
        let word_start = rest
            .find(|c: char| !c.is_whitespace())
            .unwrap_or(rest.len());
        let (space, from_word) = rest.split_at(word_start);
        let word_end = from_word
            .find(char::is_whitespace)
            .unwrap_or(from_word.len());
        let (word, after) = from_word.split_at(word_end);
        rest = after;
        if word.starts_with('+') {
            (position, is_masking) = (0, false);
        }
        if is_masking {
            continue;
        }
        shown.push_str(space);
        let (name, value) = match word.split_once('=') {
            Some((name, _)) => (name, true),
            None => (word, false),
        };
        let is_name = position == 0 || (position == 1 && is_setter);
        let plain = name.trim_matches(['"', '+', '/', '\'']).to_lowercase();
        let is_secret = is_name && is_secret_name(&plain, position == 0);
        shown.push_str(if is_secret { name } else { word });
        if is_secret && value {
            shown.push('=');
            shown.push_str(MASK);
        } else if is_secret && !rest.trim().is_empty() {
            shown.push(' ');
            shown.push_str(MASK);
        }
        is_masking = is_secret;
        if position == 0 {
            is_setter = SETTERS.contains(&plain.as_str());
        }
        position += 1;
    }
    shown
}

fn is_secret_name(name: &str, is_first: bool) -> bool {
    name.contains("password")
        || name.contains("passwd")
        || name.ends_with("_pass")
        || (is_first && SECRET_VERBS.contains(&name))
        || (!is_first && (name == "register" || name == "pass"))
}

#[cfg(test)]
mod tests {
    use super::mask;

    #[test]
    fn passwords_in_commands_are_masked() {
        for (command, masked) in [
            ("rcon_password hunter2", "rcon_password ***"),
            ("RCON_PASSWORD \"hunter two\"", "RCON_PASSWORD ***"),
            ("sv_password hunter2; status", "sv_password ***; status"),
            ("\"sv_password\" \"hunter2\"", "\"sv_password\" ***"),
            ("status;password hunter2", "status;password ***"),
            ("set g_password hunter2", "set g_password ***"),
            ("set rcon_password=hunter2", "set rcon_password=***"),
            ("sm_cvar sv_password hunter2", "sm_cvar sv_password ***"),
            (
                "+set rcon_password hunter2 +map q3dm1",
                "+set rcon_password *** +map q3dm1",
            ),
            ("+rcon_password hunter2", "+rcon_password ***"),
            ("/login hunter2", "/login ***"),
            ("login anna hunter2", "login ***"),
            ("authme register anna hunter2", "authme register ***"),
            ("rcon hunter2 status", "rcon ***"),
            ("  sv_password   hunter2", "  sv_password ***"),
        ] {
            assert_eq!(mask(command), masked);
            assert!(!mask(command).contains("hunter"), "{command}");
        }
    }

    #[test]
    fn other_commands_are_shown_in_full() {
        for command in [
            "",
            "status",
            "say the password is on the website",
            "kick anna",
            "changelevel de_dust2",
            "sv_password",
            "set sv_maxrate 0 ; mp_restartgame 1",
            "echo hello   wörld ",
            "exec password.cfg",
        ] {
            assert_eq!(mask(command), command);
        }
    }
}
