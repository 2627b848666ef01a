//! Game servers from the command line.

use kernel::input::{Fields, Input, Raw};
use kernel::list::Window;
use kernel::write::Edit;
use server::servers;
use server::servers::live::{self, Live};
use server::servers::rcon::{self, NewCommand};

use crate::options::Options;
use crate::{Outcome, serve};

pub async fn list(options: &Options) -> Outcome {
    let app = serve::start_existing(options).await?;
    let mut read = app.db.read().await?;
    println!(
        "{:>6}  {:8}  {:>9}  {:22}  {:16}  {:16}  name",
        "id", "state", "players", "address", "game", "map"
    );
    for server in servers::list(&mut read, Window::ALL).await? {
        let live = live::get(&app, &mut read, &server).await?;
        println!(
            "{:>6}  {:8}  {:>9}  {:22}  {:16}  {:16}  {}",
            server.id,
            state(&live),
            players(&live),
            server.address()?.to_string(),
            server.game.as_str(),
            printable(&live.map),
            // A name may hold anything, and a terminal obeys control characters.
            server.name.escape_debug()
        );
    }
    Ok(())
}

pub async fn query(options: &Options, id: i64) -> Outcome {
    let app = serve::start_existing(options).await?;
    let live = live::query(&app, id).await?;
    println!("{:10}{}", "state", state(&live));
    if !live.reachable {
        return Err("the server did not answer".into());
    }
    for (what, said) in [
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
        println!("{what:10}{}", printable(&said));
    }
    if !live.players.is_empty() {
        println!("\n{:>8}  {:>8}  player", "score", "seconds");
    }
    for player in &live.players {
        let number = |number: Option<i64>| number.map_or_else(String::new, |some| some.to_string());
        let (score, seconds) = (number(player.score), number(player.seconds));
        println!("{score:>8}  {seconds:>8}  {}", printable(&player.name));
    }
    Ok(())
}

fn state(live: &Live) -> &'static str {
    match live.error {
        Some(error) => error,
        None if live.reachable => "online",
        None => "unknown",
    }
}

fn players(live: &Live) -> String {
    format!("{}/{}", live.players_online, live.max_players)
}

pub async fn rcon(options: &Options, id: i64, words: &[String]) -> Outcome {
    let line = words.join(" ");
    let fields: Fields<'_> = [("command".to_owned(), Raw::Query(&line))]
        .into_iter()
        .collect();
    let command = NewCommand::read(&fields, false)
        .map_err(|_| "a command has 1 to 1000 characters, none of them control characters")?;
    let app = serve::start_existing(options).await?;
    let mut edit = Edit::command_line(&app).await?;
    let server = servers::target(&mut edit, id).await?;
    let noted = rcon::note(&mut edit, app.live.settings(), server, command).await?;
    let planned = edit.commit(noted).await?;
    let answer = rcon::send(planned).await.into_result()?;
    println!("{}", printable(&answer.text));
    if answer.truncated {
        eprintln!("The server said more than is shown.");
    }
    Ok(())
}

/// What a game server says may hold anything, and a terminal obeys control characters.
fn printable(text: &str) -> String {
    let text = text.trim_end().chars();
    text.filter(|character| !character.is_control() || "\n\t".contains(*character))
        .collect()
}
