//! `steward server`: lists and queries game servers, and runs commands on their consoles.

use clap::Subcommand;
use game_servers::servers::live::{self, LiveStatus};
use game_servers::servers::{self, RconCommand, Server, rcon};
use kernel::auth::{Actor, COMMAND_LINE};
use kernel::input::{Fields, Input, Raw};
use kernel::list::Window;
use kernel::write::Edit;
use serde_json::{Value, json};

use super::list_format::{ListFormat, print_json};
use crate::error::Result;
use crate::options::Options;
use crate::output::{print_line, print_remark};
use crate::startup;

#[derive(Subcommand)]
pub enum ServerCommand {
    /// List the game servers with their last known status.
    List(ListFormat),
    /// Query a server and print its status.
    Query {
        /// The server's id, as shown by `server list`.
        id: i64,
    },
    /// Run a command on a server's console and print the answer.
    Rcon {
        /// The server's id, as shown by `server list`.
        id: i64,
        /// The command: all that follows, as one line. Options of steward come before the id.
        #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true)]
        command: Vec<String>,
    },
}

pub async fn run(command: ServerCommand, options: &Options) -> Result {
    match command {
        ServerCommand::List(format) => list(&format, options).await,
        ServerCommand::Query { id } => query(id, options).await,
        ServerCommand::Rcon { id, command } => run_on_console(id, &command, options).await,
    }
}

async fn list(format: &ListFormat, options: &Options) -> Result {
    let app = startup::start_existing(options).await?;
    let mut read = app.kernel.core.db.read_alone().await?;
    let mut servers = Vec::new();
    for server in servers::list(&mut read, Window::ALL).await? {
        let live = live::get(&app.servers, &mut read, &server).await?;
        servers.push((server, live));
    }
    if format.json {
        let items = servers.iter().map(|(server, live)| to_json(server, live));
        return print_json("servers", items);
    }
    print_line!(
        "{:>6}  {:8}  {:>9}  {:22}  {:16}  {:16}  name",
        "id",
        "state",
        "players",
        "address",
        "game",
        "map"
    )?;
    for (server, live) in servers {
        print_line!(
            "{:>6}  {:8}  {:>9}  {:22}  {:16}  {:16}  {}",
            server.id,
            state(&live),
            players(&live),
            server.address()?.to_string(),
            server.game.as_str(),
            without_control_characters(&live.map),
            server.name.escape_debug()
        )?;
    }
    Ok(())
}

/// Uses the field names of the API, and the state that the table shows.
fn to_json(server: &Server, live: &LiveStatus) -> Value {
    json!({
        "id": server.id,
        "name": server.name,
        "ip": server.ip,
        "port": server.port,
        "enabled": server.enabled,
        "game": server.game,
        "state": state(live),
        "stats": {
            "players_online": live.players_online,
            "max_players": live.max_players,
            "map": live.map,
        },
        "checked_at": live.checked_at,
    })
}

async fn query(id: i64, options: &Options) -> Result {
    let app = startup::start_existing(options).await?;
    let actor = Actor::internal(COMMAND_LINE, app.kernel.core.new_request_id());
    let live = live::query(&app.servers, id, &actor).await?;
    print_line!("{:10}{}", "state", state(&live))?;
    if !live.reachable {
        return Err(why_unreachable(&live, options).into());
    }
    for (label, value) in [
        ("name", live.name.clone().unwrap_or_default()),
        ("version", live.version.clone().unwrap_or_default()),
        ("map", live.map.clone()),
        ("players", players(&live)),
        (
            "latency",
            live.latency_ms
                .map_or_else(String::new, |ms| format!("{ms} ms")),
        ),
    ] {
        print_line!("{label:10}{}", without_control_characters(&value))?;
    }
    if !live.players.is_empty() {
        print_line!("\n{:>8}  {:>8}  player", "score", "seconds")?;
    }
    for player in &live.players {
        let number = |number: Option<i64>| number.map_or_else(String::new, |some| some.to_string());
        let (score, seconds) = (number(player.score), number(player.seconds));
        let name = without_control_characters(&player.name);
        print_line!("{score:>8}  {seconds:>8}  {name}")?;
    }
    Ok(())
}

fn why_unreachable(live: &LiveStatus, options: &Options) -> &'static str {
    match live.error {
        Some("disabled") if !options.live().enabled => {
            "the server was not queried, because --server-query is off"
        }
        Some("disabled") => "the server was not queried, because it is disabled",
        Some("forbidden") => {
            "the server was not queried, because --server-networks does not allow its address"
        }
        _ => "the server did not answer",
    }
}

fn state(live: &LiveStatus) -> &'static str {
    match live.error {
        Some(error) => error,
        None if live.reachable => "online",
        None => "unknown",
    }
}

fn players(live: &LiveStatus) -> String {
    format!("{}/{}", live.players_online, live.max_players)
}

async fn run_on_console(id: i64, words: &[String], options: &Options) -> Result {
    let line = words.join(" ");
    let fields: Fields<'_> = [("command".to_owned(), Raw::Query(&line))]
        .into_iter()
        .collect();
    let command = RconCommand::read(&fields, false)
        .map_err(|_| "a command has 1 to 1000 characters, none of them control characters")?;
    let app = startup::start_existing(options).await?;
    let mut edit = Edit::command_line(&app.kernel.core).await?;
    let server = servers::target(&mut edit, id).await?;
    let recorded = rcon::record(&mut edit, app.servers.live.settings(), server, command).await?;
    let command = edit.commit(recorded).await?;
    let answer = rcon::send(command).await.into_result()?;
    print_line!("{}", without_control_characters(&answer.text))?;
    if answer.truncated {
        print_remark!("The answer was truncated.");
    }
    Ok(())
}

/// Text from a game server may contain control characters, which a terminal would interpret.
fn without_control_characters(text: &str) -> String {
    let text = text.trim_end().chars();
    text.filter(|character| !character.is_control() || "\n\t".contains(*character))
        .collect()
}
