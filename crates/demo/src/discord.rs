//! A server at Discord, switched off: the demo sends nothing there.

use serde_json::json;

use super::input::input;
use accounts::users::{self, Member as User};
use db::Progress;
use discord::guild::members::{self, Member};
use discord::guild::{self, DiscordChanges, DiscordRoleChanges, MemberState, Snowflake, mappings};
use kernel::Result;
use kernel::types::Timestamp;
use kernel::write::Edit;

const GUILD: i64 = 613_425_648_685_547_541;
/// The first of the roles there.
const FIRST_ROLE: i64 = 613_425_648_685_548_000;
/// How many members are shown, and how many roles follow.
const MEMBERS: usize = 40;
const ROLES: usize = 3;

/// Profiles that users have linked.
#[derive(Default)]
pub struct Profiles(Vec<(Snowflake, i64)>);

impl Profiles {
    /// Meets users in the order in which they join.
    pub fn meet(&mut self, users: &[User]) {
        for user in users {
            if self.0.len() == MEMBERS {
                return;
            }
            let mut links = user.social_networks.iter();
            let link = links.find(|link| link.network == users::DISCORD);
            let id = link.and_then(|link| link.profile_url.parse().ok());
            self.0.extend(id.map(|id| (id, user.user.id)));
        }
    }
}

pub async fn make(
    edit: &mut Edit,
    roles: &[i64],
    Profiles(mut profiles): Profiles,
    progress: &mut impl Progress,
) -> Result<()> {
    progress.begin("members at Discord", profiles.len() as u64);
    let connection: DiscordChanges = input(&json!({
        "guild_id": GUILD.to_string(), "bot_token": "the token of the demo".replace(' ', "-"),
        "active": false, "trust_links": true,
    }))?;
    guild::put(edit, || Ok(connection)).await?.into_part();
    let pairs = roles.iter().take(ROLES).zip(FIRST_ROLE..);
    let pairs = pairs.map(
        |(role, at_discord)| json!({ "role_id": role, "discord_role_id": at_discord.to_string() }),
    );
    let pairs: DiscordRoleChanges = input(&json!({ "mappings": pairs.collect::<Vec<_>>() }))?;
    let before = mappings::target(edit).await?;
    mappings::replace(edit, before, pairs.mappings)
        .await?
        .into_part();
    let now = edit.now();
    profiles.sort_unstable();
    profiles.dedup_by_key(|(id, _)| *id);
    let members = profiles.into_iter().zip(0..);
    let members: Vec<Member> = members
        .map(|(profile, i)| member(profile, i, now))
        .collect();
    members::load(edit, &members).await?;
    progress.advance(members.len() as u64);
    Ok(())
}

/// Most members have what they should have.
fn member((discord_id, user_id): (Snowflake, i64), i: i64, now: Timestamp) -> Member {
    let (state, error) = match i % 10 {
        3 => (MemberState::NotAMember, None),
        6 if i < 10 => (MemberState::Failed, Some("Discord answered with 500.")),
        8 => (MemberState::Pending, None),
        _ => (MemberState::Ok, None),
    };
    let is_synced = matches!(state, MemberState::Ok | MemberState::NotAMember);
    Member {
        discord_id,
        user_id: Some(user_id),
        state,
        error: error.map(str::to_owned),
        attempts: 0,
        changes: 0,
        synced_at: is_synced.then(|| Timestamp::from_unix(now.unix() - 600 * (i + 1))),
    }
}
