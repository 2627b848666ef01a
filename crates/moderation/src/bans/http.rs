//! Operations of `/api/bans`.

use axum::extract::FromRef;
use serde::Serialize;

use super::commands::{self, BanCommand, CommandKind, CommandState};
use super::{
    Ban, BanChanges, BanFilters, BanKind, BanLift, BanState, BansLift, IpRange, NewBan, Source,
    State,
};
use crate::bans;
use kernel::auth::permission::{Bans, BansRead, Confirmed};
use kernel::http::export::{Export, ExportFile, ExportRequest};
use kernel::http::paging::ListRequest;
use kernel::http::path::Id;
use kernel::http::reply::{Accepted, CountedList, Created, Done, Single};
use kernel::http::routing::{ApiRouter, get_with, named, named_failing, post_with};
use kernel::http::{Caller, Writer};
use kernel::list::Window;
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::etag;
use kernel::{Kernel, Result};
use platform::audit::events::{ActorKind, EventActor, StoredActor};

/// Lets the extractors of the kernel take their state from the slice's.
impl FromRef<State> for Kernel {
    fn from_ref(state: &State) -> Self {
        state.kernel.clone()
    }
}

/// The API key or the operator who issued or lifted a ban.
#[derive(Serialize, JsonSchema)]
struct BanActor {
    kind: ActorKind,
    /// The id of the API key, or the user id of the operator; null for others.
    id: Option<i64>,
    /// The name at that time.
    name: String,
}

impl From<StoredActor> for BanActor {
    fn from(actor: StoredActor) -> Self {
        let EventActor { kind, id, name } = actor.into();
        Self { kind, id, name }
    }
}

#[derive(Serialize, JsonSchema)]
struct BanSource {
    /// The program that the ban was imported from.
    system: String,
    /// The id of the ban in that program.
    id: String,
}

impl From<Source> for BanSource {
    fn from(Source { system, id }: Source) -> Self {
        Self { system, id }
    }
}

/// Defines a body of a ban: the common fields, then those given.
macro_rules! ban_body {
    ($(#[$doc:meta])* struct $name:ident { $($(#[$attribute:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Serialize, JsonSchema)]
        struct $name {
            id: i64,
            kind: BanKind,
            /// As a string: the number exceeds what JavaScript holds exactly.
            steam_id64: Option<String>,
            ip_range: Option<String>,
            user_id: Option<i64>,
            player_name: String,
            /// Empty for all servers. Those of deleted servers stay.
            server_ids: Vec<i64>,
            /// Players see it.
            reason: String,
            /// Players do not see it.
            note: String,
            evidence: Vec<String>,
            created_at: Timestamp,
            /// Null is never.
            expires_at: Option<Timestamp>,
            state: BanState,
            issued_by: BanActor,
            lifted_by: Option<BanActor>,
            lifted_at: Option<Timestamp>,
            lift_reason: Option<String>,
            /// Of an imported ban.
            source: Option<BanSource>,
            $($(#[$attribute])* $field: $type,)*
        }

        impl $name {
            fn new(ban: Ban, now: Timestamp, $($field: $type,)*) -> Self {
                let state = ban.state(now);
                let (lifted_at, lift_reason, lifted_by) = match ban.lifted {
                    Some(lift) => (Some(lift.at), Some(lift.reason), Some(lift.by.into())),
                    None => (None, None, None),
                };
                let range = ban.subject.ip_range.as_ref();
                Self {
                    id: ban.id,
                    kind: ban.kind,
                    steam_id64: ban.subject.steam_id.map(|id| id.id64().to_string()),
                    ip_range: range.map(IpRange::as_str).map(str::to_owned),
                    user_id: ban.subject.user_id,
                    player_name: ban.player_name,
                    server_ids: ban.server_ids,
                    reason: ban.reason,
                    note: ban.note,
                    evidence: ban.evidence,
                    created_at: ban.created_at,
                    expires_at: ban.expires_at.time(),
                    state,
                    issued_by: ban.issued_by.into(),
                    lifted_by,
                    lifted_at,
                    lift_reason,
                    source: ban.source.map(BanSource::from),
                    $($field,)*
                }
            }
        }
    };
}

ban_body! {
    struct BanItem {}
}

ban_body! {
    struct BanDetail {
        /// What the servers' consoles did to kick the player.
        kicks: Vec<BanKick>,
        /// What the servers' consoles did to mute the player, or to end that.
        mutes: Vec<BanMute>,
    }
}

#[derive(Serialize, JsonSchema)]
struct BanKick {
    server_id: i64,
    state: CommandState,
    /// Why the last attempt failed.
    error: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct BanMute {
    server_id: i64,
    /// `mute` or `unmute`.
    command: CommandKind,
    state: CommandState,
    /// Why the last attempt failed.
    error: Option<String>,
}

impl BanDetail {
    fn with_commands(ban: Ban, now: Timestamp, commands: Vec<BanCommand>) -> Self {
        let (mut kicks, mut mutes) = (Vec::new(), Vec::new());
        for command in commands {
            let (server_id, state, error) = (command.server_id, command.state, command.error);
            match command.kind {
                CommandKind::Kick => kicks.push(BanKick {
                    server_id,
                    state,
                    error,
                }),
                CommandKind::Mute | CommandKind::Unmute => mutes.push(BanMute {
                    server_id,
                    command: command.kind,
                    state,
                    error,
                }),
            }
        }
        Self::new(ban, now, kicks, mutes)
    }
}

#[derive(Serialize, JsonSchema)]
struct BanList {
    bans: Vec<BanItem>,
}

#[derive(Serialize, JsonSchema)]
struct SingleBan {
    ban: BanDetail,
}

#[derive(Serialize, JsonSchema)]
struct BanReply {
    message: &'static str,
    ban: BanItem,
}

#[derive(Serialize, JsonSchema)]
struct BansReply {
    message: &'static str,
    /// The bans that were lifted, at most 1,000. If there may be more, repeat the request.
    bans: Vec<BanItem>,
}

async fn list(
    caller: Caller<BansRead>,
    request: ListRequest<BanFilters>,
) -> Result<CountedList<BanList>> {
    let now = caller.now();
    let mut read = caller.read_alone().await?;
    let total = bans::count(&mut read, &request.filters, now).await?;
    let window = request.window();
    let mut found = bans::list(&mut read, &request.filters, now, window, Some(total)).await?;
    drop(read);
    // One more than the page has was read.
    let shown = usize::try_from(window.limit - 1).unwrap_or(usize::MAX);
    let has_more = found.len() > shown;
    found.truncate(shown);
    let next = found.last().map(|ban| ban.id).filter(|_| has_more);
    let headers = request.headers_before(total, next);
    let bans = found
        .into_iter()
        .map(|ban| BanItem::new(ban, now))
        .collect();
    CountedList::new(headers, &BanList { bans })
}

async fn get(caller: Caller<BansRead>, id: Id) -> Result<Single<SingleBan>> {
    let mut read = caller.read().await?;
    let ban = bans::get(&mut read, id.0).await?;
    let commands = commands::of_ban(&mut read, id.0).await?;
    let tag = etag::of(&ban);
    let ban = BanDetail::with_commands(ban, caller.now(), commands);
    // The state depends on the clock, and the commands are sent in the background.
    caller.single_with_others(&tag, &SingleBan { ban })
}

async fn create(writer: Writer<Bans, NewBan>) -> Result<Created<BanReply>> {
    let now = writer.now();
    let explained = writer.explain(async |conn, new| bans::check_new(conn, now, new).await);
    let run = explained.run(async |edit, body| {
        let created = bans::create(edit, body.valid()?).await?;
        Ok(created.map(|ban| BanReply {
            message: "Ban created.",
            ban: BanItem::new(ban, now),
        }))
    });
    run.await
}

async fn update(id: Id, writer: Writer<Bans, BanChanges>) -> Result<Done<BanReply>> {
    let now = writer.now();
    let explained =
        writer.explain(async |conn, new| bans::check_changes(conn, now, id.0, new).await);
    let run = explained.run(async |edit, body| {
        let ban = bans::target(edit, id.0).await?;
        let updated = bans::update(edit, ban, body.valid()?).await?;
        Ok(updated.map(|ban| BanReply {
            message: "Ban updated.",
            ban: BanItem::new(ban, now),
        }))
    });
    run.await
}

async fn lift(id: Id, writer: Writer<Bans, BanLift>) -> Result<Done<BanReply>> {
    let now = writer.now();
    let run = writer.run(async |edit, body| {
        let ban = bans::target(edit, id.0).await?;
        let BanLift { reason } = body.valid()?;
        let lifted = bans::lift(edit, ban, reason.into_string()).await?;
        Ok(lifted.map(|ban| BanReply {
            message: "Ban lifted.",
            ban: BanItem::new(ban, now),
        }))
    });
    run.await
}

async fn lift_all(writer: Writer<Bans, BansLift>) -> Result<Done<BansReply>> {
    let now = writer.now();
    let run = writer.run(async |edit, body| {
        let lifted = bans::lift_all(edit, body.valid()?).await?;
        Ok(lifted.map(|found| BansReply {
            message: "Bans lifted.",
            bans: found
                .into_iter()
                .map(|ban| BanItem::new(ban, now))
                .collect(),
        }))
    });
    run.await
}

async fn kick(id: Id, writer: Writer<Bans>) -> Result<Accepted<BanReply>> {
    let now = writer.now();
    let run = writer.run(async |edit, _| {
        let ban = bans::target(edit, id.0).await?;
        let kicked = bans::kick(edit, ban).await?;
        Ok(kicked.map(|ban| BanReply {
            message: "The player is being kicked.",
            ban: BanItem::new(ban, now),
        }))
    });
    run.await
}

const EXPORT: ExportFile = ExportFile {
    name: "bans",
    resource: "bans",
    columns: &[
        "id",
        "kind",
        "steam_id64",
        "ip_range",
        "user_id",
        "player_name",
        "server_ids",
        "reason",
        "note",
        "evidence",
        "created_at",
        "expires_at",
        "state",
        "issued_by",
        "lifted_by",
        "lifted_at",
        "lift_reason",
        "source",
    ],
    batch: 500,
};

async fn export(
    caller: Caller<Confirmed<BansRead>>,
    request: ExportRequest<BanFilters>,
) -> Result<Export> {
    let export = Export::begin(&caller, request, EXPORT, |request, conn, now, after| {
        Box::pin(async move {
            let window = Window {
                after: after.unwrap_or(0),
                limit: EXPORT.batch,
                ..Window::ALL
            };
            let found = bans::list(conn, &request.filters, now, window, None).await?;
            let next = found.last().map(|ban| ban.id);
            let rows = found.into_iter().map(|ban| BanItem::new(ban, now));
            Ok((rows.collect(), next))
        })
    });
    export.await
}

const ENDED: &str = "The ban has expired or was lifted.";

pub fn routes() -> ApiRouter<State> {
    ApiRouter::new()
        .api_route(
            "/api/bans",
            get_with(list, named("listBans", "List bans and mutes, newest first"))
                .post_with(create, named("createBan", "Ban or mute a player")),
        )
        .api_route(
            "/api/bans/export",
            get_with(export, named("exportBans", "Export bans as CSV or NDJSON")),
        )
        .api_route(
            "/api/bans/lift",
            post_with(
                lift_all,
                named("liftBansOfPlayer", "Lift all active bans of a player"),
            ),
        )
        .api_route(
            "/api/bans/{id}",
            get_with(get, named("getBan", "Show a ban")).put_with(
                update,
                named_failing("updateBan", "Change a ban", 409, ENDED),
            ),
        )
        .api_route(
            "/api/bans/{id}/lift",
            post_with(
                lift,
                named_failing("liftBan", "Lift a ban", 409, "The ban has expired."),
            ),
        )
        .api_route(
            "/api/bans/{id}/kick",
            post_with(
                kick,
                named_failing("kickBannedPlayer", "Kick a banned player again", 409, ENDED),
            ),
        )
        .with_path_items(|item| item.tag("Bans"))
}
