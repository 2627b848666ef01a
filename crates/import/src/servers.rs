//! Game servers.

use std::net::IpAddr;

use game_servers::servers::{self, Address, Game, RconPassword, Server};
use kernel::Result;
use kernel::secret::Secret;
use kernel::write::Edit;

use crate::context::Context;
use crate::decimal::Decimal;
use crate::record::Moment;
use crate::report::Output;
use crate::small::{self, Small};
use crate::text::{key, line, valid};

const TABLE: &str = "servers";
const PORTS: std::ops::RangeInclusive<i64> = 1..=65_535;
const UNKNOWN_GAME: &str = "unknown";

/// Games by their app ids at Steam.
const GAMES: &[(&str, &str)] = &[
    ("10", "cs"),
    ("70", "hl"),
    ("80", "cscz"),
    ("240", "css"),
    ("300", "dods"),
    ("320", "hl2dm"),
    ("440", "tf2"),
    ("500", "l4d"),
    ("550", "l4d2"),
    ("730", "cs2"),
    ("4000", "gmod"),
    ("107410", "arma3"),
    ("221100", "dayz"),
    ("251570", "7d2d"),
    ("252490", "rust"),
    ("346110", "ark"),
    ("393380", "squad"),
];

pub async fn write(
    edit: &mut Edit,
    context: &Context,
    small: &Small,
    output: &mut Output<'_>,
) -> Result<()> {
    for (kept, found) in &small.servers {
        let mut changes = Vec::new();
        let ip = address(context, &found.ip, &mut changes);
        let reason = match &ip {
            Err(reason) => reason.clone(),
            _ if kept.id < 1 => "the id is not positive".to_owned(),
            _ if !PORTS.contains(&found.port) => format!("the port {} is invalid", found.port),
            Ok(_) => String::new(),
        };
        let (Ok(ip), "") = (ip, &*reason) else {
            output.leave_out(TABLE, kept, &reason)?;
            continue;
        };
        let created_at = found.created_at.or("created_at", context.now, &mut changes);
        let updated_at = match found.updated_at {
            Moment::Null => created_at,
            other => other.or("updated_at", created_at, &mut changes),
        };
        let fallback = || format!("server-{}", kept.id);
        let password = password(found, &mut changes);
        let server = Server {
            id: kept.id,
            name: line(&found.name, 255, fallback, "the name", &mut changes),
            ip,
            port: found.port,
            enabled: found.enabled,
            game: game(context, &found.game, &mut changes),
            query_port: query_port(&found.additional, &mut changes),
            rcon_password: Secret::new(Vec::new()),
            created_at,
            updated_at,
        };
        servers::load(edit, server, password.as_ref()).await?;
        output.write(TABLE, kept.id, &changes)?;
    }
    Ok(())
}

/// The address of a server, or why it has none.
fn address(
    context: &Context,
    text: &str,
    changes: &mut Vec<String>,
) -> std::result::Result<Address, String> {
    let text = text.trim();
    if let Some(address) = valid::<Address>(text) {
        return Ok(address);
    }
    let hosts = &context.options.hosts;
    let ip: Option<&IpAddr> = hosts.get(&text.to_lowercase());
    let shown = text.escape_debug();
    match ip {
        Some(ip) => {
            changes.push(format!("the host {shown} is {ip}, as --host says"));
            Ok(Address::from_stored(ip.to_string()))
        }
        None => Err(format!(
            "{shown} is not an address, and --host does not name one for it"
        )),
    }
}

fn game(context: &Context, text: &str, changes: &mut Vec<String>) -> Game {
    let text = text.trim();
    let known = GAMES
        .iter()
        .find(|(id, _)| *id == text)
        .map(|(_, game)| *game);
    let named = context.options.games.get(text).map(String::as_str);
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    let other = key(text, allowed, '-', 50);
    let name = match (named.or(known), &*other) {
        (Some(name), _) => name,
        (None, "") => UNKNOWN_GAME,
        (None, other) => other,
    };
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if known.is_none() && named.is_none() && (name != text || is_number(name)) {
        changes.push(format!("the game is not known, so it is {name}"));
    }
    Game::from_stored(name.to_owned())
}

fn password(found: &small::Server, changes: &mut Vec<String>) -> Option<RconPassword> {
    if found.rcon.is_empty() {
        return None;
    }
    let password = valid::<RconPassword>(&found.rcon);
    if password.is_none() {
        changes.push("the RCON password is not valid, so there is none".to_owned());
    }
    password
}

/// The port for queries, from the settings, which need not be JSON.
fn query_port(additional: &str, changes: &mut Vec<String>) -> Option<i64> {
    if additional.trim().is_empty() {
        return None;
    }
    let Ok(settings) = serde_json::from_str::<serde_json::Value>(additional) else {
        changes.push("additional is not JSON, so it is left out".to_owned());
        return None;
    };
    let text = match &settings["query_port"] {
        serde_json::Value::Null => return None,
        serde_json::Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    };
    let port = Decimal::parse(&text).and_then(|number| number.rounded(0));
    let port = port.filter(|(_, is_exact)| *is_exact);
    let port = port.and_then(|(port, _)| i64::try_from(port).ok());
    let port = port.filter(|port| PORTS.contains(port));
    if port.is_none() {
        changes.push("query_port is not a port, so it is left out".to_owned());
    }
    port
}

#[cfg(test)]
mod tests {
    use super::query_port;

    #[test]
    fn a_query_port_is_read_where_there_is_one() {
        for (additional, port, changes) in [
            (r#"{"query_port":27016}"#, Some(27_016), 0),
            (r#"{"query_port":"25566"}"#, Some(25_566), 0),
            (r#"{"query_port":null,"note":"x"}"#, None, 0),
            ("[]", None, 0),
            ("null", None, 0),
            ("", None, 0),
            (r#"{"query_port": 28016,"#, None, 1),
            (r#"{"query_port":0}"#, None, 1),
            (r#"{"query_port":65536}"#, None, 1),
            (r#"{"query_port":1.5}"#, None, 1),
            (r#"{"query_port":[1]}"#, None, 1),
        ] {
            let mut noted = Vec::new();
            assert_eq!(query_port(additional, &mut noted), port, "{additional}");
            assert_eq!(noted.len(), changes, "{additional}");
        }
    }
}
