//! Operations of `/api/discord`.

use axum::extract::{FromRef, State as Extracted};
use serde::Serialize;

use super::api::GuildRole;
use super::check::{self, Findings};
use super::mappings::{self, RoleMappings};
use super::members::{self, Member};
use super::repair::{self, Planned, Preview};
use super::resource::Mapping;
use super::{
    Connection, ConnectionState, DiscordChanges, DiscordMemberFilters, DiscordRepair,
    DiscordRoleChanges, MemberState, Problem, Snowflake, State,
};
use crate::guild;
use kernel::auth::permission::{Discord, DiscordRead};
use kernel::http::paging::ListRequest;
use kernel::http::reply::{CountedList, Done, Message, Put, Single, Tried};
use kernel::http::routing::{ApiRouter, failing, get_with, named, named_failing, post_with};
use kernel::http::{Caller, Writer};
use kernel::list::Total;
use kernel::schema::JsonSchema;
use kernel::types::Timestamp;
use kernel::write::{Change, etag};
use kernel::{Kernel, Result};

/// Replaces every token, so that not even its length is revealed.
const MASK: &str = "********";
/// Members are counted only up to this number.
const MAX_TOTAL: i64 = 10_000;

/// Lets the extractors of the kernel take their state from the slice's.
impl FromRef<State> for Kernel {
    fn from_ref(state: &State) -> Self {
        state.kernel.clone()
    }
}

/// The connection to a server at Discord.
#[derive(Serialize, JsonSchema)]
struct DiscordConnection {
    guild_id: Snowflake,
    /// Always `********`.
    bot_token: &'static str,
    active: bool,
    /// Whether social links count beside verified profiles.
    trust_links: bool,
    state: ConnectionState,
    /// Why it was disabled, or what the last check found.
    error: Option<Problem>,
    checked_at: Option<Timestamp>,
}

impl From<Connection> for DiscordConnection {
    fn from(connection: Connection) -> Self {
        Self {
            state: connection.state(),
            guild_id: connection.guild_id,
            bot_token: MASK,
            active: connection.active,
            trust_links: connection.trust_links,
            error: connection.problem,
            checked_at: connection.checked_at,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct SingleDiscord {
    discord: DiscordConnection,
}

#[derive(Serialize, JsonSchema)]
struct DiscordReply {
    message: &'static str,
    discord: DiscordConnection,
}

/// A role at Discord that follows a role.
#[derive(Serialize, JsonSchema)]
struct DiscordRoleMapping {
    role_id: i64,
    discord_role_id: Snowflake,
}

impl From<Mapping> for DiscordRoleMapping {
    fn from(pair: Mapping) -> Self {
        Self {
            role_id: pair.role_id,
            discord_role_id: pair.discord_role_id,
        }
    }
}

fn shown(found: RoleMappings) -> Vec<DiscordRoleMapping> {
    let pairs = found.mappings.into_iter();
    pairs.map(DiscordRoleMapping::from).collect()
}

#[derive(Serialize, JsonSchema)]
struct DiscordRoleList {
    mappings: Vec<DiscordRoleMapping>,
}

#[derive(Serialize, JsonSchema)]
struct DiscordRolesReply {
    message: &'static str,
    mappings: Vec<DiscordRoleMapping>,
}

/// The answer to one question of a check.
#[derive(Serialize, JsonSchema)]
struct DiscordFinding {
    ok: bool,
    /// Null if nothing is wrong.
    problem: Option<Problem>,
}

impl From<Option<Problem>> for DiscordFinding {
    fn from(problem: Option<Problem>) -> Self {
        Self {
            ok: problem.is_none(),
            problem,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct DiscordRoleFinding {
    role_id: i64,
    discord_role_id: Snowflake,
    ok: bool,
    /// Why the bot cannot give the role; null if it can.
    problem: Option<Problem>,
}

#[derive(Serialize, JsonSchema)]
struct DiscordFindings {
    /// Whether Discord accepts the token.
    token: DiscordFinding,
    /// Whether the bot is on the server.
    guild: DiscordFinding,
    /// Whether the bot may list members. Without it, they are read one by one.
    intent: DiscordFinding,
    /// Whether the bot may manage roles.
    bot_role: DiscordFinding,
    mappings: Vec<DiscordRoleFinding>,
}

impl From<Findings> for DiscordFindings {
    fn from(findings: Findings) -> Self {
        let pairs = findings.mappings.into_iter();
        Self {
            token: findings.token.into(),
            guild: findings.guild.into(),
            intent: findings.intent.into(),
            bot_role: findings.bot_role.into(),
            mappings: pairs
                .map(|pair| DiscordRoleFinding {
                    role_id: pair.role_id,
                    discord_role_id: pair.discord_role_id,
                    ok: pair.problem.is_none(),
                    problem: pair.problem,
                })
                .collect(),
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct DiscordCheckReply {
    check: DiscordFindings,
}

/// A role of the server at Discord.
#[derive(Serialize, JsonSchema)]
struct DiscordServerRole {
    id: Snowflake,
    name: String,
    /// As `#rrggbb`; null for the default.
    color: Option<String>,
    /// Why the bot cannot give it; null if it can.
    problem: Option<Problem>,
}

#[derive(Serialize, JsonSchema)]
struct DiscordServerRoleList {
    /// The highest one first, without that of everyone.
    guild_roles: Vec<DiscordServerRole>,
}

impl From<(GuildRole, Option<Problem>)> for DiscordServerRole {
    fn from((role, problem): (GuildRole, Option<Problem>)) -> Self {
        Self {
            id: role.id,
            name: role.name,
            color: (role.color != 0).then(|| format!("#{:06x}", role.color & 0xff_ffff)),
            problem,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct DiscordMemberItem {
    discord_id: Snowflake,
    /// Whom the profile belonged to when it was last visited or compared; null for nobody.
    user_id: Option<i64>,
    state: MemberState,
    /// Why the last visit failed.
    error: Option<String>,
    /// When a visit or a repair last ended well.
    synced_at: Option<Timestamp>,
}

impl From<Member> for DiscordMemberItem {
    fn from(member: Member) -> Self {
        Self {
            discord_id: member.discord_id,
            user_id: member.user_id,
            state: member.state,
            error: member.error,
            synced_at: member.synced_at,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct DiscordMemberList {
    members: Vec<DiscordMemberItem>,
}

/// What a repair would change for one person.
#[derive(Serialize, JsonSchema)]
struct DiscordMemberChange {
    discord_id: Snowflake,
    user_id: Option<i64>,
    /// Roles at Discord that would be added.
    add: Vec<Snowflake>,
    /// Roles at Discord that would be removed.
    remove: Vec<Snowflake>,
}

impl From<Planned> for DiscordMemberChange {
    fn from(planned: Planned) -> Self {
        Self {
            discord_id: planned.discord_id,
            user_id: planned.user_id,
            add: planned.add,
            remove: planned.remove,
        }
    }
}

#[derive(Serialize, JsonSchema)]
struct DiscordRepairReply {
    message: &'static str,
    /// Of a dry run: what would change, at most 1,000 people.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Vec<DiscordMemberChange>")]
    changes: Option<Vec<DiscordMemberChange>>,
    /// Of a dry run: for how many people something would change.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(with = "i64")]
    total: Option<usize>,
}

impl DiscordRepairReply {
    fn planned(preview: Preview) -> Self {
        let changes = preview.changes.into_iter();
        Self {
            message: "This would change.",
            changes: Some(changes.map(DiscordMemberChange::from).collect()),
            total: Some(preview.total),
        }
    }

    const STARTED: Self = Self {
        message: "The repair has begun.",
        changes: None,
        total: None,
    };
}

async fn get(caller: Caller<DiscordRead>) -> Result<Single<SingleDiscord>> {
    let mut read = caller.read().await?;
    let connection = guild::get(&mut read).await?;
    let tag = etag::of(&connection);
    let discord = connection.into();
    // The entity tag does not cover what was found in the background.
    caller.single_with_others(&tag, &SingleDiscord { discord })
}

async fn put(writer: Writer<Discord, DiscordChanges>) -> Result<Put<DiscordReply>> {
    let explained = writer.explain(async |conn, changes| guild::check_changes(conn, changes).await);
    let run = explained.run(async |edit, body| {
        let changed = guild::put(edit, || body.valid()).await?;
        Ok(changed.map(|connection| DiscordReply {
            message: "Connection to Discord saved.",
            discord: connection.into(),
        }))
    });
    run.await.map(Put)
}

async fn delete(writer: Writer<Discord>) -> Result<Done<Message>> {
    let run = writer.run(async |edit, _| {
        let connection = guild::target(edit).await?;
        let deleted = guild::delete(edit, connection).await?;
        Ok(deleted.map(|_| Message::new("Discord disconnected; roles there stay as they are.")))
    });
    run.await
}

async fn get_roles(caller: Caller<DiscordRead>) -> Result<Single<DiscordRoleList>> {
    let mut read = caller.read().await?;
    let found = mappings::get(&mut read).await?;
    let tag = etag::of(&found);
    let mappings = shown(found);
    caller.single(tag, &DiscordRoleList { mappings })
}

async fn put_roles(writer: Writer<Discord, DiscordRoleChanges>) -> Result<Done<DiscordRolesReply>> {
    let explained = writer.explain(async |conn, changes| match changes.mappings {
        Some(mappings) => mappings::check(conn, &mappings).await,
        None => Ok(Default::default()),
    });
    let run = explained.run(async |edit, body| {
        let before = mappings::target(edit).await?;
        let replaced = mappings::replace(edit, before, body.valid()?.mappings).await?;
        Ok(replaced.map(|found| DiscordRolesReply {
            message: "Roles at Discord saved.",
            mappings: shown(found),
        }))
    });
    run.await
}

async fn check_now(
    Extracted(state): Extracted<State>,
    caller: Caller<Discord>,
) -> Result<Done<DiscordCheckReply>> {
    caller.confirm().await?;
    let check = check::run(&state).await?.into();
    Done::new(&DiscordCheckReply { check })
}

async fn guild_roles(
    Extracted(state): Extracted<State>,
    _: Caller<DiscordRead>,
) -> Result<Done<DiscordServerRoleList>> {
    let found = check::guild_roles(&state).await?;
    let guild_roles = found.into_iter().map(DiscordServerRole::from).collect();
    Done::new(&DiscordServerRoleList { guild_roles })
}

async fn list_members(
    caller: Caller<DiscordRead>,
    request: ListRequest<DiscordMemberFilters>,
) -> Result<CountedList<DiscordMemberList>> {
    let state = request.filters.state;
    let mut read = caller.read_alone().await?;
    let counted = members::count(&mut read, state, MAX_TOTAL + 1).await?;
    let total = match counted {
        ..=MAX_TOTAL => Total::Exactly(counted),
        _ => Total::AtLeast(MAX_TOTAL),
    };
    let window = request.window();
    let mut found = members::list(&mut read, state, window).await?;
    drop(read);
    // One more than the page has was read.
    let shown = usize::try_from(window.limit - 1).unwrap_or(usize::MAX);
    let has_more = found.len() > shown;
    found.truncate(shown);
    let next = found.last().filter(|_| has_more);
    let headers = request.headers_before(total, next.map(|member| member.discord_id.0));
    let members = found.into_iter().map(DiscordMemberItem::from).collect();
    CountedList::new(headers, &DiscordMemberList { members })
}

async fn repair_members(
    Extracted(state): Extracted<State>,
    writer: Writer<Discord, DiscordRepair>,
) -> Result<Tried<DiscordRepairReply>> {
    let prepared = writer.prepare(async |DiscordRepair { dry_run }| match dry_run {
        Some(true) => repair::preview(&state).await.map(Some),
        _ => Ok(None),
    });
    let run = prepared.await.run(async |edit, body| {
        guild::connected(edit).await?;
        let connection = guild::target(edit).await?;
        match body.valid()? {
            Some(preview) => Ok(Change::dry_run(DiscordRepairReply::planned(preview))),
            None => {
                let started = repair::start(edit, connection).await?;
                Ok(started.map(|_| DiscordRepairReply::STARTED))
            }
        }
    });
    run.await.map(Tried)
}

const NOT_CONNECTED: &str =
    "Discord is not connected, or refuses the bot: `discord_not_connected`.";
const ABSENT: &str = "No server at Discord is connected.";
const UNREACHABLE: &str = "Discord cannot be reached: `provider_unavailable`.";

pub fn routes() -> ApiRouter<State> {
    ApiRouter::new()
        .api_route(
            "/api/discord",
            get_with(
                get,
                named_failing("getDiscord", "Show the connection to Discord", 404, ABSENT),
            )
                .put_with(put, named("setDiscord", "Connect Discord, or change the connection"))
                .delete_with(
                delete,
                named_failing("removeDiscord", "Disconnect Discord", 404, ABSENT),
            ),
        )
        .api_route(
            "/api/discord/roles",
            get_with(
                get_roles,
                named("listDiscordRoles", "List which roles at Discord follow which roles"),
            )
            .put_with(
                put_roles,
                named_failing(
                    "setDiscordRoles",
                    "Replace which roles at Discord follow which roles",
                    409,
                    NOT_CONNECTED,
                ),
            ),
        )
        .api_route(
            "/api/discord/guild-roles",
            get_with(guild_roles, |operation| {
                let name = named("listDiscordServerRoles", "List the roles of the server at Discord");
                failing(failing(name(operation), 409, NOT_CONNECTED), 503, UNREACHABLE)
            }),
        )
        .api_route(
            "/api/discord/check",
            post_with(check_now, |operation| {
                let name = named("checkDiscord", "Ask Discord what the bot may do");
                failing(failing(name(operation), 409, NOT_CONNECTED), 503, UNREACHABLE)
            }),
        )
        .api_route(
            "/api/discord/members",
            get_with(
                list_members,
                named("listDiscordMembers", "List the people at Discord who belong to users"),
            ),
        )
        .api_route(
            "/api/discord/repair",
            post_with(repair_members, |operation| {
                let name = named(
                    "repairDiscord",
                    "Compare everybody at Discord, or say what would change",
                );
                let why = "Discord is not connected, or, for a dry run, the bot may not list members; \
                           `code` says which.";
                failing(failing(name(operation), 409, why), 503, UNREACHABLE)
            }),
        )
        .with_path_items(|item| item.tag("Discord"))
}
