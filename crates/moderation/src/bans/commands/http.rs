//! Operations of `/api/servers/{id}/commands`.

use serde::Serialize;

use super::{ServerCommandChanges, ServerCommands};
use crate::bans::commands;
use kernel::auth::permission::ServersRcon;
use kernel::http::path::Id;
use kernel::http::reply::{Done, Single};
use kernel::http::routing::{ApiRouter, get_with, named};
use kernel::http::{Caller, Writer};
use kernel::schema::JsonSchema;
use kernel::write::etag;
use kernel::{Kernel, Result};

/// The commands of a server, with placeholders such as `{steam_id64}`.
#[derive(Serialize, JsonSchema)]
struct ServerCommandSet {
    /// Sent when a player is banned; null is nothing.
    kick_command: Option<String>,
    /// Sent when a player is muted, gagged or silenced; null is nothing.
    mute_command: Option<String>,
    /// Sent when that is lifted; null is nothing.
    unmute_command: Option<String>,
}

impl From<ServerCommands> for ServerCommandSet {
    fn from(commands: ServerCommands) -> Self {
        Self {
            kick_command: commands.kick_command,
            mute_command: commands.mute_command,
            unmute_command: commands.unmute_command,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct ServerCommandsReply {
    commands: ServerCommandSet,
}

#[derive(Serialize, JsonSchema)]
struct ServerCommandsUpdate {
    message: &'static str,
    commands: ServerCommandSet,
}

async fn get(caller: Caller<ServersRcon>, id: Id) -> Result<Single<ServerCommandsReply>> {
    let mut read = caller.read().await?;
    let found = commands::get(&mut read, id.0).await?;
    let tag = etag::of(&found);
    let commands = found.into();
    caller.single(tag, &ServerCommandsReply { commands })
}

async fn update(
    id: Id,
    writer: Writer<ServersRcon, ServerCommandChanges>,
) -> Result<Done<ServerCommandsUpdate>> {
    let run = writer.run(async |edit, body| {
        let before = commands::target(edit, id.0).await?;
        let updated = commands::update(edit, before, body.valid()?).await?;
        Ok(updated.map(|commands| ServerCommandsUpdate {
            message: "Commands of the server updated.",
            commands: commands.into(),
        }))
    });
    run.await
}

pub fn routes() -> ApiRouter<Kernel> {
    ApiRouter::new()
        .api_route(
            "/api/servers/{id}/commands",
            get_with(
                get,
                named(
                    "getServerCommands",
                    "Show the commands for banned players of a server",
                ),
            )
            .put_with(
                update,
                named(
                    "updateServerCommands",
                    "Change the commands for banned players of a server",
                ),
            ),
        )
        .with_path_items(|item| item.tag("Bans"))
}
