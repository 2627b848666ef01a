//! A ban and its parts.

use serde::{Serialize, Serializer};

use super::ip_range::IpRange;
use kernel::named;
use kernel::types::{Expiry, SteamId, Timestamp};
use kernel::write::Resource;
use platform::audit::events::StoredActor;

/// A ban or a mute of a player.
#[derive(Clone, Debug, Serialize)]
pub struct Ban {
    pub id: i64,
    pub kind: BanKind,
    #[serde(flatten)]
    pub subject: Subject,
    pub player_name: String,
    /// Empty for all servers.
    pub server_ids: Vec<i64>,
    pub reason: String,
    pub note: String,
    pub evidence: Vec<String>,
    #[serde(skip)]
    pub created_at: Timestamp,
    #[serde(serialize_with = "end")]
    pub expires_at: Expiry,
    #[serde(skip)]
    pub issued_by: StoredActor,
    #[serde(flatten)]
    pub lifted: Option<Lift>,
    #[serde(skip)]
    pub source: Option<Source>,
}

/// Who is banned. A match on any of them counts.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Subject {
    #[serde(rename = "steam_id64", serialize_with = "steam_id64")]
    pub steam_id: Option<SteamId>,
    #[serde(serialize_with = "range")]
    pub ip_range: Option<IpRange>,
    pub user_id: Option<i64>,
}

/// The end of a ban by a person.
#[derive(Clone, Debug, Serialize)]
pub struct Lift {
    #[serde(rename = "lifted_at")]
    pub at: Timestamp,
    #[serde(rename = "lift_reason")]
    pub reason: String,
    #[serde(skip)]
    pub by: StoredActor,
}

/// The origin of an imported ban.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Source {
    pub system: String,
    pub id: String,
}

fn end<S: Serializer>(end: &Expiry, serializer: S) -> Result<S::Ok, S::Error> {
    end.time().serialize(serializer)
}

fn steam_id64<S: Serializer>(id: &Option<SteamId>, serializer: S) -> Result<S::Ok, S::Error> {
    let text = id.map(|id| id.id64().to_string());
    text.serialize(serializer)
}

fn range<S: Serializer>(range: &Option<IpRange>, serializer: S) -> Result<S::Ok, S::Error> {
    let text = range.as_ref().map(IpRange::as_str);
    text.serialize(serializer)
}

impl Subject {
    pub fn is_empty(&self) -> bool {
        self.steam_id.is_none() && self.ip_range.is_none() && self.user_id.is_none()
    }

    /// Whether only the address is known. Addresses move on, so such a ban must end.
    pub fn is_address_alone(&self) -> bool {
        self.ip_range.is_some() && self.steam_id.is_none() && self.user_id.is_none()
    }
}

impl Ban {
    pub fn state(&self, now: Timestamp) -> BanState {
        match &self.lifted {
            Some(_) => BanState::Lifted,
            None if self.expires_at.has_passed(now) => BanState::Expired,
            None => BanState::Active,
        }
    }

    pub fn is_active(&self, now: Timestamp) -> bool {
        self.state(now) == BanState::Active
    }

    /// Whether the ban holds on this server.
    pub fn is_in_scope(&self, server_id: i64) -> bool {
        self.server_ids.is_empty() || self.server_ids.contains(&server_id)
    }
}

impl Resource for Ban {
    const PLURAL: &'static str = "bans";
    const SINGULAR: &'static str = "ban";

    fn id(&self) -> i64 {
        self.id
    }

    fn user_id(&self) -> Option<i64> {
        self.subject.user_id
    }
}

named! {
    /// What a player may not do.
    BanKind {
        Ban = "ban",
        Mute = "mute",
        Gag = "gag",
        Silence = "silence",
    }
}

named! {
    /// Whether a ban holds.
    BanState {
        Active = "active",
        Expired = "expired",
        Lifted = "lifted",
    }
}
