//! Request bodies and query parameters of bans, and the rules of their fields.

use super::ip_range::{IpAddress, IpRange};
use super::{BanKind, BanState};
use kernel::input::{
    DayOrMoment, Fault, Faults, Ids, Int, Line, ListItems, Moment, Nullable, Patch, Place,
    Positive, Raw, Rule, Text, TextFormat, is_web_address, items, text,
};
use kernel::list::{ListQuery, ListSpec, Order, Parameter};
use kernel::types::SteamId;
use kernel::{inline_schema, input};

const MAX_SERVERS: usize = 100;
const MAX_LINKS: usize = 10;
const MAX_LINK: usize = 2048;

/// How long a ban lasts, in seconds: up to ten years.
pub type Seconds = Int<1, 315_360_000>;

input! {
    /// A ban or a mute. It needs at least one of `steam_id64`, `ip_range` and `user_id`.
    pub struct NewBan {
        kind: BanKind,
        /// A SteamID in any form.
        steam_id64: Option<AnySteamId>,
        /// An address or a range. Without `steam_id64` and `user_id`, the ban must expire within a
        /// year.
        ip_range: Option<IpRange>,
        /// A user. The SteamID that the user has linked is copied into the ban.
        user_id: Option<Positive>,
        /// The name of the player at that time.
        player_name: Option<Line<0, 100>>,
        /// The servers that the ban holds on; by default all.
        server_ids: Option<ServerIds>,
        /// Players see it.
        reason: Text<1, 500>,
        /// Players do not see it.
        note: Option<Text<0, 2000>>,
        /// Links to what shows why.
        evidence: Option<Evidence>,
        /// When the ban expires; by default never.
        expires_at: Option<Moment>,
        /// How long the ban lasts, in place of `expires_at`.
        seconds: Option<Seconds>,
        /// Whether the player is kicked from the servers now. The default is true for the kind
        /// `ban`, and false for the others.
        kick: Option<bool>,
    }
}

input! {
    /// Changes to a ban. Absent fields keep their value.
    pub struct BanChanges {
        /// Players see it.
        reason: Patch<Text<1, 500>>,
        /// Players do not see it.
        note: Patch<Text<0, 2000>>,
        /// Replaces all links.
        evidence: Patch<Evidence>,
        player_name: Patch<Line<0, 100>>,
        /// Replaces all servers; an empty list is all servers.
        server_ids: Patch<ServerIds>,
        /// When the ban expires; null is never.
        expires_at: Patch<Nullable<Moment>>,
    }
}

input! {
    /// Why a ban is lifted.
    pub struct BanLift {
        reason: Text<1, 500>,
    }
}

input! {
    /// The player whose active bans are lifted: exactly one of `steam_id64`, `ip_range` and
    /// `user_id`.
    pub struct BansLift {
        /// A SteamID in any form.
        steam_id64: Option<AnySteamId>,
        /// Lifts the bans of exactly this range.
        ip_range: Option<IpRange>,
        user_id: Option<Positive>,
        reason: Text<1, 500>,
    }
    exactly one of steam_id64, ip_range, user_id
}

input! {
    /// Filters. A ban must match all of them.
    pub struct BanFilters {
        kind: Option<BanKind>,
        state: Option<BanState>,
        /// Only bans of this player, by a SteamID in any form.
        steam_id64: Option<AnySteamId>,
        /// Only bans of ranges that this address is in.
        ip: Option<IpAddress>,
        /// Only bans of this user.
        user_id: Option<Positive>,
        /// Only bans that hold on this server, also those for all servers.
        server_id: Option<Positive>,
        /// Only bans by this API key or operator, such as `key:3` or `operator:5`.
        issued_by: Option<IssuedBy>,
        /// Only bans made at this time or later.
        from: Option<DayOrMoment>,
        /// Only bans made at this time or earlier.
        to: Option<DayOrMoment>,
    }
}

impl ListQuery for BanFilters {
    // Without page numbers: new bans would shift all pages.
    const LIST: &'static ListSpec = &ListSpec {
        parameters: &[Parameter::After, Parameter::Size, Parameter::Filters],
        ..ListSpec::PAGED
    };

    fn check(&self, _: Order, faults: &mut Faults) {
        let ends = self.from.zip(self.to);
        if ends.is_some_and(|(from, to)| from.first() > to.last()) {
            faults.at("from").add(Fault::After { other: "to" });
        }
    }
}

/// A SteamID2, SteamID3 or SteamID64 of a person.
#[derive(Clone, Copy, Debug)]
pub struct AnySteamId(pub SteamId);

impl Rule for AnySteamId {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let id = SteamId::parse(&text(raw, place)?);
        if id.is_none() {
            place.add(Fault::wrong_format(TextFormat::SteamId));
        }
        id.map(Self)
    }
}

inline_schema!(AnySteamId, {
    "type": "string",
    "examples": ["76561197969249708", "STEAM_1:0:4491990", "[U:1:8983980]"],
});

/// The servers of a ban.
#[derive(Clone, Debug, Default)]
pub struct ServerIds(pub Ids);

impl Rule for ServerIds {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        Ids::read_within(raw, place, 0..=MAX_SERVERS).map(Self)
    }
}

inline_schema!(ServerIds, {
    "type": "array",
    "items": { "type": "integer", "format": "int64", "minimum": 1 },
    "maxItems": MAX_SERVERS,
});

/// Links to evidence.
#[derive(Clone, Debug, Default)]
pub struct Evidence(pub Vec<String>);

impl From<&Vec<String>> for Evidence {
    fn from(stored: &Vec<String>) -> Self {
        Self(stored.clone())
    }
}

impl Rule for Evidence {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let items = items(raw, place, ListItems::Strings, 0..=MAX_LINKS)?;
        let links: Vec<Option<String>> = items
            .into_iter()
            .enumerate()
            .map(|(i, item)| link(Raw::Json(item), &mut place.inside(i)))
            .collect();
        links.into_iter().collect::<Option<Vec<String>>>().map(Self)
    }
}

fn link(raw: Raw<'_>, place: &mut Place<'_>) -> Option<String> {
    let link = Line::<1, MAX_LINK>::read(raw, place)?.into_string();
    if !is_web_address(&link) {
        place.add(Fault::wrong_format(TextFormat::Url));
        return None;
    }
    Some(link)
}

inline_schema!(Evidence, {
    "type": "array",
    "items": {
        "type": "string", "format": "uri", "maxLength": MAX_LINK, "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://",
    },
    "maxItems": MAX_LINKS,
});

/// An API key or an operator who issued a ban.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IssuedBy {
    Key(i64),
    Operator(i64),
}

impl IssuedBy {
    fn parse(text: &str) -> Option<Self> {
        let (kind, id) = text.split_once(':')?;
        let is_plain = id.bytes().all(|digit| digit.is_ascii_digit());
        let id = id.parse().ok().filter(|id| is_plain && *id > 0)?;
        match kind {
            "key" => Some(Self::Key(id)),
            "operator" => Some(Self::Operator(id)),
            _ => None,
        }
    }
}

impl Rule for IssuedBy {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let issuer = Self::parse(&text(raw, place)?);
        if issuer.is_none() {
            place.add(Fault::wrong_format(TextFormat::Caller));
        }
        issuer
    }
}

inline_schema!(IssuedBy, {
    "type": "string",
    "pattern": "^(key|operator):[0-9]+$",
});
