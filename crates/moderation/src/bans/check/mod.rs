//! Says whether players are banned, exact to the second.

pub mod http;
mod store;

use std::cmp::Reverse;
use std::net::IpAddr;

use db::Conn;

use super::BanKind;
use super::input::AnySteamId;
use super::ip_range::{self, IpAddress};
use accounts::users::{self, User};
use kernel::input::{Fault, Faults, Int, ListItems, Object, Place, Raw, Rule, items, text_that};
use kernel::types::{Expiry, SteamId, Timestamp};
use kernel::{Result, inline_schema, input};

/// How many players one request asks about.
const MOST_PLAYERS: usize = 100;
/// How many bans of one player an answer has.
const MOST_BANS: i64 = 100;

input! {
    /// A player. At least one of `steam_id64` and `ip` is needed.
    pub struct PlayerQuery {
        /// A SteamID in any form.
        steam_id64: Option<AnySteamId>,
        ip: Option<IpAddress>,
        /// Only bans that hold on this server, also those for all servers. Without it, bans on any
        /// server count.
        server_id: Option<ServerId>,
        /// `user` to show the user who signs in with this SteamID, or has linked it.
        include: Option<IncludeUser>,
    }
}

input! {
    /// Players, to ask whether each is banned.
    pub struct PlayersCheck {
        players: Players,
        /// Only bans that hold on this server, also those for all servers.
        server_id: Option<ServerId>,
    }
}

input! {
    /// One player.
    struct PlayerFields {
        steam_id64: Option<AnySteamId>,
        ip: Option<IpAddress>,
    }
}

/// The id of a server. It need not exist, so that what is no id must be refused here.
#[derive(Clone, Copy, Debug)]
pub struct ServerId(pub i64);

impl Rule for ServerId {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        Int::<1, { i64::MAX }>::read(raw, place).map(|Int(id)| Self(id))
    }
}

inline_schema!(ServerId, { "type": "integer", "format": "int64", "minimum": 1 });

/// The value of `include`.
#[derive(Clone, Copy, Debug)]
pub struct IncludeUser;

impl Rule for IncludeUser {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_known = |text: &str| text == "user";
        let fault = Fault::not_one_of(&["user"]);
        text_that(raw, place, is_known, fault).map(|_| Self)
    }
}

inline_schema!(IncludeUser, { "type": "string", "enum": ["user"] });

/// How a player is identified.
#[derive(Clone, Copy, Debug)]
pub struct Player {
    pub steam_id: Option<SteamId>,
    pub address: Option<IpAddr>,
}

/// One to [`MOST_PLAYERS`] players.
#[derive(Debug)]
pub struct Players(pub Vec<Player>);

impl Rule for Players {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let items = items(raw, place, ListItems::Players, 1..=MOST_PLAYERS)?;
        let mut players = Vec::new();
        for (i, item) in items.into_iter().enumerate() {
            let mut place = place.inside(i);
            let fields = Object::<PlayerFields>::read(Raw::Json(item), &mut place);
            if let Some(Object(fields)) = fields {
                let player = Player::new(fields.steam_id64, fields.ip);
                if player.is_unknown() {
                    place.inside("steam_id64").add(NEEDS_ONE);
                }
                players.push(player);
            }
        }
        Some(Self(players))
    }
}

inline_schema!(Players, {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "steam_id64": { "type": ["string", "null"] },
            "ip": { "type": ["string", "null"], "format": "ip" },
        },
    },
    "minItems": 1,
    "maxItems": MOST_PLAYERS,
});

const NEEDS_ONE: Fault = Fault::RequiredUnless { fields: &["ip"] };

impl Player {
    fn new(steam_id: Option<AnySteamId>, address: Option<IpAddress>) -> Self {
        Self {
            steam_id: steam_id.map(|AnySteamId(id)| id),
            address: address.map(|IpAddress(address)| address),
        }
    }

    fn is_unknown(&self) -> bool {
        self.steam_id.is_none() && self.address.is_none()
    }
}

impl PlayerQuery {
    pub fn player(&self) -> Result<Player> {
        let player = Player::new(self.steam_id64, self.ip);
        match player.is_unknown() {
            true => Err(Faults::one("steam_id64", NEEDS_ONE).into()),
            false => Ok(player),
        }
    }
}

/// An active ban of a player.
#[derive(Clone, Debug)]
pub struct Found {
    pub id: i64,
    pub kind: BanKind,
    pub reason: String,
    pub expires_at: Expiry,
}

/// The active bans of a player, newest first: on one server, or on any.
pub async fn check(
    conn: &mut Conn,
    now: Timestamp,
    player: Player,
    server_id: Option<i64>,
) -> Result<Vec<Found>> {
    let bits = player.address.map(ip_range::bits);
    let (id, bits) = (player.steam_id, bits.as_deref());
    let mut found = store::active_of(conn, now, id, bits, server_id, MOST_BANS).await?;
    found.sort_unstable_by_key(|ban| Reverse(ban.id));
    // A ban may match by SteamID, by user and by address.
    found.dedup_by_key(|ban| ban.id);
    Ok(found)
}

/// Whether one of these keeps the player out.
pub fn is_banned(found: &[Found]) -> bool {
    found.iter().any(|ban| ban.kind == BanKind::Ban)
}

/// The user who signs in with this SteamID, or else the one who has linked it first.
pub async fn user(conn: &mut Conn, now: Timestamp, id: Option<SteamId>) -> Result<Option<User>> {
    match id {
        Some(id) => users::by_steam_id(conn, now, id).await,
        None => Ok(None),
    }
}
