//! Request bodies and query parameters, and the rules of their fields.

use super::resource::{Mapping, MemberState, Snowflake};
use kernel::input::{
    CharacterSet, Fault, Faults, ListItems, Object, Patch, Place, Positive, Raw, Rule, TextFormat,
    items, text_that,
};
use kernel::list::{ListQuery, ListSpec, Parameter};
use kernel::secret::Secret;
use kernel::{inline_schema, input};

const TOKEN: std::ops::RangeInclusive<usize> = 20..=200;
/// How many pairs of roles there may be: Discord allows 250 roles.
const MAX_MAPPINGS: usize = 250;

input! {
    /// The connection to a server at Discord. Absent fields keep their value.
    pub struct DiscordChanges {
        /// The id of the server. Another one needs the token again, and removes all pairs of roles.
        guild_id: Patch<Snowflake>,
        /// The token of the bot.
        bot_token: Patch<BotToken>,
        /// Whether roles at Discord follow; at first true.
        active: Patch<bool>,
        /// Whether social links count, which anybody can type; at first false.
        trust_links: Patch<bool>,
    }
}

input! {
    /// Which roles at Discord follow which roles.
    pub struct DiscordRoleChanges {
        /// Replaces all pairs.
        mappings: Mappings,
    }
}

input! {
    /// How to repair.
    pub struct DiscordRepair {
        /// Only says what would change; the default is false.
        dry_run: Option<bool>,
    }
}

input! {
    /// Filters of members.
    pub struct DiscordMemberFilters {
        /// Only members in this state.
        state: Option<MemberState>,
    }
}

impl ListQuery for DiscordMemberFilters {
    // Without page numbers, since the list may be long.
    const LIST: &'static ListSpec = &ListSpec {
        parameters: &[Parameter::After, Parameter::Size, Parameter::Filters],
        ..ListSpec::PAGED
    };
}

impl Rule for Snowflake {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_id = |text: &str| text.parse::<Self>().is_ok();
        let fault = Fault::wrong_format(TextFormat::DiscordId);
        text_that(raw, place, is_id, fault)?.parse().ok()
    }
}

inline_schema!(Snowflake, { "type": "string", "pattern": "^[1-9][0-9]{16,19}$" });

/// The token of a bot.
#[derive(Debug)]
pub struct BotToken(pub Secret<String>);

impl Rule for BotToken {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_token = |text: &str| {
            TOKEN.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
        };
        let set = CharacterSet::VisibleAscii;
        let fault = Fault::wrong_characters(set, *TOKEN.start(), *TOKEN.end());
        let text = text_that(raw, place, is_token, fault)?;
        Some(Self(Secret::new(text)))
    }
}

inline_schema!(BotToken, { "type": "string", "pattern": "^[!-~]{20,200}$" });

/// Pairs of roles, each once.
#[derive(Clone, Debug)]
pub struct Mappings {
    pub mappings: Vec<Mapping>,
    /// The role at each position, also of pairs that have other faults.
    pub role_ids: Vec<Option<i64>>,
}

input! {
    struct MappingFields {
        role_id: Positive,
        discord_role_id: Snowflake,
    }
}

impl Rule for Mappings {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let items = items(raw, place, ListItems::Items, 0..=MAX_MAPPINGS)?;
        let (mut mappings, mut role_ids) = (Vec::<Mapping>::new(), Vec::new());
        for (i, item) in items.into_iter().enumerate() {
            let mut place = place.inside(i);
            let pair = Object::<MappingFields>::read(Raw::Json(item), &mut place);
            let pair = pair.map(|Object(fields)| Mapping {
                role_id: fields.role_id.0,
                discord_role_id: fields.discord_role_id,
                problem: None,
            });
            role_ids.push(pair.as_ref().map(|pair| pair.role_id));
            let Some(pair) = pair else { continue };
            if mappings.iter().any(|other| other.is_same_pair(&pair)) {
                place.add(Fault::Repeated {});
            }
            mappings.push(pair);
        }
        Some(Self { mappings, role_ids })
    }
}

inline_schema!(Mappings, {
    "type": "array",
    "items": {
        "type": "object",
        "properties": {
            "role_id": { "type": "integer", "format": "int64", "minimum": 1 },
            "discord_role_id": { "type": "string", "pattern": "^[1-9][0-9]{16,19}$" },
        },
        "required": ["role_id", "discord_role_id"],
    },
    "maxItems": MAX_MAPPINGS,
});

/// The fields that a new connection must have.
pub fn required(guild_id: bool, bot_token: bool) -> Faults {
    let mut faults = Faults::default();
    for (field, is_given) in [("guild_id", guild_id), ("bot_token", bot_token)] {
        if !is_given {
            faults.at(field).add(Fault::Required {});
        }
    }
    faults
}
