//! The connection to a server at Discord, and what can be wrong with it.

use std::str::FromStr;

use serde::{Deserialize, Serialize, Serializer};

use kernel::named;
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::write::Resource;

/// An id at Discord. It is a string in JSON, since it exceeds what a JavaScript number holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(try_from = "String")]
pub struct Snowflake(pub i64);

impl FromStr for Snowflake {
    type Err = NoSnowflake;

    /// Takes 17 to 20 digits. Until the year 2084, all ids are below 2^63.
    fn from_str(text: &str) -> Result<Self, NoSnowflake> {
        let is_id = (17..=20).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_digit())
            && !text.starts_with('0');
        match text.parse() {
            Ok(id) if is_id => Ok(Self(id)),
            _ => Err(NoSnowflake),
        }
    }
}

#[derive(Debug)]
pub struct NoSnowflake;

impl std::fmt::Display for NoSnowflake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("not an id of Discord")
    }
}

impl TryFrom<String> for Snowflake {
    type Error = NoSnowflake;

    fn try_from(text: String) -> Result<Self, NoSnowflake> {
        text.parse()
    }
}

impl Serialize for Snowflake {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

/// The connection to a server at Discord, of which there is at most one.
#[derive(Clone, Debug, Serialize)]
pub struct Connection {
    pub guild_id: Snowflake,
    pub active: bool,
    pub trust_links: bool,
    /// Sealed; empty if it was lost.
    #[serde(skip)]
    pub bot_token: Secret<Vec<u8>>,
    #[serde(skip)]
    pub problem: Option<Problem>,
    #[serde(skip)]
    pub checked_at: Option<Timestamp>,
    #[serde(skip)]
    pub repair: Option<Repair>,
}

/// A role at Discord that follows a role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Mapping {
    pub role_id: i64,
    pub discord_role_id: Snowflake,
    /// Why Discord refuses to give it, until the next check.
    #[serde(skip)]
    pub problem: Option<Problem>,
}

impl Mapping {
    pub fn is_same_pair(&self, other: &Self) -> bool {
        (self.role_id, self.discord_role_id) == (other.role_id, other.discord_role_id)
    }
}

/// A repair under way.
#[derive(Clone, Copy, Debug)]
pub struct Repair {
    pub step: RepairStep,
    /// The last id that the step has dealt with.
    pub after: i64,
}

impl Repair {
    pub const BEGINNING: Self = Self {
        step: RepairStep::Check,
        after: 0,
    };
}

impl Connection {
    /// Whether requests go to the same server with the same token.
    pub fn is_same_bot(&self, other: &Self) -> bool {
        self.guild_id == other.guild_id && self.bot_token.reveal() == other.bot_token.reveal()
    }

    pub fn state(&self) -> ConnectionState {
        match (self.active, self.problem) {
            (false, _) => ConnectionState::Disabled,
            (true, Some(_)) => ConnectionState::Error,
            (true, None) => ConnectionState::Ok,
        }
    }
}

impl Resource for Connection {
    const PLURAL: &'static str = "discord";
    const SINGULAR: &'static str = "connection to Discord";
    const SECRETS: &'static [&'static str] = &["bot_token"];

    fn id(&self) -> i64 {
        1
    }

    // A new token changes the entity tag.
    fn hidden(&self) -> &[u8] {
        self.bot_token.reveal()
    }
}

named! {
    /// Whether roles at Discord follow.
    ConnectionState {
        Ok = "ok",
        Disabled = "disabled",
        Error = "error",
    }
}

named! {
    /// Whether a member has the roles that they should have.
    MemberState {
        Pending = "pending",
        Ok = "ok",
        NotAMember = "not_a_member",
        Failed = "failed",
    }
}

named! {
    /// The parts of a repair, in their order. One of the last two is taken.
    RepairStep {
        Check = "check",
        Identities = "identities",
        Links = "links",
        Listing = "listing",
        OneByOne = "one_by_one",
    }
}

named! {
    /// What is wrong.
    Problem {
        // Discord refuses the bot's token.
        TokenRefused = "token_refused",
        // Discord refuses the bot access.
        AccessRefused = "access_refused",
        // The bot is not on the server, or there is no such server.
        NotInGuild = "not_in_guild",
        // The bot may not list members: it lacks the Server Members Intent.
        IntentMissing = "intent_missing",
        // The bot may not manage roles.
        ManageRolesMissing = "manage_roles_missing",
        // The server has no such role.
        RoleMissing = "role_missing",
        // The role belongs to a bot or to Discord itself.
        RoleManaged = "role_managed",
        // The role is that of everyone.
        RoleIsEveryone = "role_is_everyone",
        // The role is not below the highest role of the bot.
        RoleAboveBot = "role_above_bot",
        // An earlier finding prevented the check.
        NotChecked = "not_checked",
    }
}
