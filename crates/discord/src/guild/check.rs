//! Asks Discord what the bot may do, and stores the findings.

use std::time::Duration;

use super::api::{Bot, Failure, GuildRole, LONGEST_PAUSE, code};
use super::connection::{NOT_CONNECTED, State, begin_repair, connected, disable, open_token};
use super::mappings;
use super::resource::{Connection, Mapping, Problem, Repair, RepairStep, Snowflake};
use super::store;
use kernel::queue;
use kernel::write::Edit;
use kernel::{Error, ErrorCode, Result};

/// The permissions at Discord that let the bot change roles.
const ADMINISTRATOR: u64 = 1 << 3;
const MANAGE_ROLES: u64 = 1 << 28;

/// The findings of a check, in the order of its questions.
#[derive(Clone, Debug)]
pub struct Findings {
    pub token: Option<Problem>,
    pub guild: Option<Problem>,
    pub intent: Option<Problem>,
    pub bot_role: Option<Problem>,
    pub mappings: Vec<Mapping>,
}

impl Findings {
    /// Nothing was asked yet.
    fn none(mappings: Vec<Mapping>) -> Self {
        let unknown = Some(Problem::NotChecked);
        Self {
            token: unknown,
            guild: unknown,
            intent: unknown,
            bot_role: unknown,
            mappings: mappings
                .into_iter()
                .map(|pair| Mapping {
                    problem: unknown,
                    ..pair
                })
                .collect(),
        }
    }

    /// The problem that disables the connection.
    pub fn fatal(&self) -> Option<Problem> {
        let is_known = |problem: &Problem| *problem != Problem::NotChecked;
        self.token.or(self.guild).filter(is_known)
    }

    /// The problem that makes the state of the connection an error. Without the intent, members are
    /// read one by one.
    fn problem(&self) -> Option<Problem> {
        let is_known = |problem: &Problem| *problem != Problem::NotChecked;
        let of_pairs = self.mappings.iter().find_map(|pair| pair.problem);
        self.bot_role.or(of_pairs).filter(is_known)
    }
}

/// Checks the connection. 503 if Discord cannot be asked.
pub async fn run(state: &State) -> Result<Findings> {
    let (connection, token, pairs) = read(state).await?;
    let bot = state.api.bot(&token, connection.guild_id.0);
    let findings = match ask(&bot, connection.guild_id, pairs).await {
        Ok(findings) => findings,
        Err(failure) => return Err(unavailable(state, &failure).await),
    };
    record(state, &connection, &findings).await?;
    Ok(findings)
}

pub const REFUSED: Error = Error::Conflict {
    code: ErrorCode::DiscordNotConnected,
    message: "Discord refuses the bot. POST /api/discord/check says why.",
};

/// The error of a request that needs an answer now. A check stores what is wrong.
pub async fn failed(state: &State, failure: Failure) -> Error {
    match failure {
        Failure::TokenRefused | Failure::Forbidden(_) | Failure::NotFound(_) => {
            run(state).await.err().unwrap_or(REFUSED)
        }
        Failure::Limited(_) | Failure::Unavailable(_) => unavailable(state, &failure).await,
    }
}

/// The same for a failure that says nothing of the bot.
async fn unavailable(state: &State, failure: &Failure) -> Error {
    tracing::warn!(?failure, "Discord gave no usable answer");
    let kept = match failure {
        Failure::Limited(pause) => keep_pause(state, *pause).await,
        _ => Ok(()),
    };
    kept.err().unwrap_or(Error::ProviderUnavailable)
}

/// Makes all instances keep a pause that Discord asked for.
pub async fn keep_pause(state: &State, pause: Duration) -> Result<()> {
    let pause = i64::try_from(pause.as_millis()).unwrap_or(LONGEST_PAUSE);
    let mut edit = Edit::maintenance(&state.kernel.core).await?;
    let now = queue::now(&state.kernel.core);
    store::pause(&mut edit, now + pause).await?;
    edit.commit_as_system(&[]).await
}

/// The connection, its token, and the pairs of roles. 503 while Discord wants a pause.
pub async fn read(
    state: &State,
) -> Result<(Connection, kernel::secret::Secret<String>, Vec<Mapping>)> {
    let mut edit = Edit::maintenance(&state.kernel.core).await?;
    let connection = connected(&mut edit).await?;
    let pairs = mappings::list(&mut edit).await?;
    if connection.bot_token.reveal().is_empty() {
        return Err(NOT_CONNECTED);
    }
    if store::is_paused(&mut edit, queue::now(&state.kernel.core)).await? {
        return Err(Error::ProviderUnavailable);
    }
    let token = open_token(&mut edit, &connection).await?;
    Ok((connection, token, pairs))
}

/// Asks Discord. Refusals are findings; only a failure to answer is an error.
pub async fn ask(
    bot: &Bot<'_>,
    guild_id: Snowflake,
    pairs: Vec<Mapping>,
) -> Result<Findings, Failure> {
    let mut findings = Findings::none(pairs);
    let me = match bot.me().await {
        Ok(me) => me.id,
        Err(failure) => {
            findings.token = Some(finding(failure, Problem::TokenRefused)?);
            return Ok(findings);
        }
    };
    findings.token = None;
    if let Err(failure) = bot.guild().await {
        findings.guild = Some(finding(failure, Problem::NotInGuild)?);
        return Ok(findings);
    }
    findings.guild = None;
    findings.intent = match bot.members(0, 1).await {
        Ok(_) => None,
        Err(failure) => Some(finding(failure, Problem::IntentMissing)?),
    };
    let roles = match bot.roles().await {
        Ok(roles) => roles,
        Err(failure) => {
            findings.bot_role = Some(finding(failure, Problem::AccessRefused)?);
            return Ok(findings);
        }
    };
    let own = match bot.member(me.0).await {
        Ok(own) => own.roles,
        Err(failure) => {
            findings.bot_role = Some(finding(failure, Problem::NotInGuild)?);
            return Ok(findings);
        }
    };
    let own = of_bot(&roles, &own, guild_id);
    let may_manage = own.iter().any(|role| may_manage_roles(role));
    findings.bot_role = (!may_manage).then_some(Problem::ManageRolesMissing);
    let highest = own.iter().map(|role| role.rank()).max();
    for pair in &mut findings.mappings {
        let role = roles.iter().find(|role| role.id == pair.discord_role_id);
        pair.problem = match role {
            None => Some(Problem::RoleMissing),
            Some(role) => problem_of(role, guild_id, highest),
        };
    }
    Ok(findings)
}

/// The roles that the bot has, with that of everyone.
fn of_bot<'a>(
    roles: &'a [GuildRole],
    own: &[Snowflake],
    guild_id: Snowflake,
) -> Vec<&'a GuildRole> {
    let is_own = |role: &&GuildRole| own.contains(&role.id) || role.id == guild_id;
    roles.iter().filter(is_own).collect()
}

/// Why the bot cannot give this role.
fn problem_of(role: &GuildRole, guild_id: Snowflake, highest: Option<Rank>) -> Option<Problem> {
    if role.id == guild_id {
        return Some(Problem::RoleIsEveryone);
    }
    if role.managed {
        return Some(Problem::RoleManaged);
    }
    let is_below = highest.is_some_and(|highest| role.rank() < highest);
    (!is_below).then_some(Problem::RoleAboveBot)
}

/// The place of a role in the list of the server: by position, and of the same position the older
/// one is higher.
pub type Rank = (i64, std::cmp::Reverse<Snowflake>);

impl GuildRole {
    pub fn rank(&self) -> Rank {
        (self.position, std::cmp::Reverse(self.id))
    }
}

fn may_manage_roles(role: &GuildRole) -> bool {
    let bits: u64 = role.permissions.parse().unwrap_or(0);
    bits & (ADMINISTRATOR | MANAGE_ROLES) != 0
}

/// The problem that a refusal of this question shows.
fn finding(failure: Failure, meaning: Problem) -> Result<Problem, Failure> {
    match failure {
        Failure::TokenRefused => Ok(Problem::TokenRefused),
        Failure::NotFound(code::UNKNOWN_GUILD) => Ok(Problem::NotInGuild),
        Failure::Forbidden(_) | Failure::NotFound(_) => Ok(meaning),
        Failure::Limited(_) | Failure::Unavailable(_) => Err(failure),
    }
}

/// Stores the findings, unless the connection has changed since it was read.
pub async fn record(state: &State, checked: &Connection, findings: &Findings) -> Result<()> {
    let mut edit = Edit::maintenance(&state.kernel.core).await?;
    let Some(current) = store::lock_and_find(&mut edit).await? else {
        return Ok(());
    };
    if !current.is_same_bot(checked) {
        return Ok(());
    }
    let before = mappings::list(&mut edit).await?;
    let mut is_mended = false;
    for pair in &findings.mappings {
        let known = before.iter().find(|known| known.is_same_pair(pair));
        if pair.problem == Some(Problem::NotChecked) || known.is_none() {
            continue;
        }
        let had = known.and_then(|known| known.problem);
        is_mended |= had.is_some() && pair.problem.is_none();
        if had != pair.problem {
            mappings::set_problem(&mut edit, pair.discord_role_id, pair.problem).await?;
        }
    }
    let now = edit.now();
    let mut connection = Connection {
        checked_at: Some(now),
        problem: findings.problem(),
        ..current
    };
    let entries = match findings.fatal().filter(|_| connection.active) {
        Some(problem) => {
            store::put(&mut edit, &connection).await?;
            disable(&mut edit, problem).await?.into_entries()
        }
        None => {
            if !connection.active {
                connection.problem = findings.fatal().or(connection.problem);
            }
            // Members have been visited without these roles.
            let is_checking = |repair: Repair| repair.step == RepairStep::Check;
            let begins = is_mended && !connection.repair.is_some_and(is_checking);
            match begins {
                true => {
                    begin_repair(&mut edit, connection).await?;
                }
                false => store::put(&mut edit, &connection).await?,
            }
            Vec::new()
        }
    };
    edit.commit_as_system(&entries).await
}

/// The roles of the server, the highest first and without that of everyone, each with why the bot
/// cannot give it.
pub async fn guild_roles(state: &State) -> Result<Vec<(GuildRole, Option<Problem>)>> {
    let (connection, token, _) = read(state).await?;
    let (guild_id, bot) = (
        connection.guild_id,
        state.api.bot(&token, connection.guild_id.0),
    );
    let asked = async {
        let roles = bot.roles().await?;
        let me = bot.me().await?;
        Ok((roles, bot.member(me.id.0).await?.roles))
    };
    let (mut roles, own) = match asked.await {
        Ok(found) => found,
        Err(failure) => return Err(failed(state, failure).await),
    };
    let own = of_bot(&roles, &own, guild_id);
    let highest = own.iter().map(|role| role.rank()).max();
    roles.retain(|role| role.id != guild_id);
    roles.sort_unstable_by_key(|role| std::cmp::Reverse(role.rank()));
    let roles = roles.into_iter().map(|role| {
        let problem = problem_of(&role, guild_id, highest);
        (role, problem)
    });
    Ok(roles.collect())
}
