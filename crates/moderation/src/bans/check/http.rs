//! Operations of `/api/bans/check`.

use serde::Serialize;

use super::{Found, PlayerQuery, Players, PlayersCheck, ServerId};
use crate::bans::{State, check};
use accounts::users::{HeldRoleItem, User, role_items};
use kernel::Result;
use kernel::auth::permission::BansRead;
use kernel::http::Caller;
use kernel::http::body::Body;
use kernel::http::query::Query;
use kernel::http::reply::{Done, Single};
use kernel::http::routing::{ApiRouter, get_with, named};
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;

/// An active ban, as far as the player sees it.
#[derive(Serialize, JsonSchema)]
struct ActiveBan {
    id: i64,
    kind: super::BanKind,
    reason: String,
    /// When the ban expires; null is never.
    expires_at: Option<Timestamp>,
}

impl From<Found> for ActiveBan {
    fn from(found: Found) -> Self {
        Self {
            id: found.id,
            kind: found.kind,
            reason: found.reason,
            expires_at: found.expires_at.time(),
        }
    }
}

/// The user who signs in with the SteamID, or has linked it.
#[derive(Serialize, JsonSchema)]
struct CheckedUser {
    id: i64,
    username: String,
    roles: Vec<HeldRoleItem>,
    /// Null if the account is not blocked.
    block: Option<CheckedBlock>,
}

#[derive(Serialize, JsonSchema)]
struct CheckedBlock {
    reason: String,
    /// When the block expires; null is never.
    until: Option<Timestamp>,
}

impl From<User> for CheckedUser {
    fn from(user: User) -> Self {
        Self {
            id: user.id,
            username: user.username,
            roles: role_items(user.roles, true),
            block: user.block.map(|block| CheckedBlock {
                reason: block.reason,
                until: block.until,
            }),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct BanCheck {
    /// Whether one of the bans is of the kind `ban`.
    banned: bool,
    /// The active bans and mutes, newest first.
    bans: Vec<ActiveBan>,
    /// Only with `include=user`; null if nobody has linked the SteamID.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<CheckedUser>", default)]
    user: Option<Option<CheckedUser>>,
}

impl BanCheck {
    fn new(found: Vec<Found>) -> Self {
        Self {
            banned: check::is_banned(&found),
            bans: found.into_iter().map(ActiveBan::from).collect(),
            user: None,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct BanCheckList {
    /// One for each player, in the same order.
    players: Vec<BanCheck>,
}

async fn check_one(
    caller: Caller<BansRead>,
    Query(query): Query<PlayerQuery>,
) -> Result<Single<BanCheck>> {
    let player = query.player()?;
    let server_id = query.server_id.map(|ServerId(id)| id);
    let now = caller.now();
    let mut read = caller.read().await?;
    let mut answer = BanCheck::new(check::check(&mut read, now, player, server_id).await?);
    if query.include.is_some() {
        let user = check::user(&mut read, now, player.steam_id).await?;
        answer.user = Some(user.map(CheckedUser::from));
    }
    // The tag is that of the answer: it changes when a ban expires, too.
    caller.single_with_others("\"check\"", &answer)
}

async fn check_many(
    caller: Caller<BansRead>,
    body: Body<PlayersCheck>,
) -> Result<Done<BanCheckList>> {
    caller.confirm().await?;
    let PlayersCheck {
        players: Players(asked),
        server_id,
    } = body.valid()?;
    let server_id = server_id.map(|ServerId(id)| id);
    let now = caller.now();
    let mut read = caller.read_alone().await?;
    let mut players = Vec::with_capacity(asked.len());
    for player in asked {
        players.push(BanCheck::new(
            check::check(&mut read, now, player, server_id).await?,
        ));
    }
    Done::new(&BanCheckList { players })
}

pub fn routes() -> ApiRouter<State> {
    ApiRouter::new()
        .api_route(
            "/api/bans/check",
            get_with(
                check_one,
                named("checkBan", "Say whether a player is banned or muted"),
            )
            .post_with(
                check_many,
                named(
                    "checkBans",
                    "Say which of these players are banned or muted",
                ),
            ),
        )
        .with_path_items(|item| item.tag("Bans"))
}
