//! Game servers from the command line.

use server::edit::Edit;
use server::input::{Fields, Input, Raw};
use server::page::Window;
use server::servers;
use server::servers::rcon::{self, NewCommand};

use crate::options::Options;
use crate::{Outcome, serve};

pub async fn list(options: &Options) -> Outcome {
    let app = serve::start_existing(options).await?;
    let mut read = app.db.read().await?;
    println!(
        "{:>6}  {:7}  {:22}  {:16}  name",
        "id", "enabled", "address", "game"
    );
    for server in servers::list(&mut read, Window::ALL).await? {
        println!(
            "{:>6}  {:7}  {:22}  {:16}  {}",
            server.id,
            if server.enabled { "yes" } else { "no" },
            server.address()?.to_string(),
            server.game.as_str(),
            // A name may hold anything, and a terminal obeys control characters.
            server.name.escape_debug()
        );
    }
    Ok(())
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
    let noted = rcon::note(&mut edit, server, command).await?;
    let planned = edit.commit(noted).await?;
    let answer = rcon::send(planned).await?;
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
