//! Gives a product to a user.

use super::role_steps;
use super::{
    Grant, GrantState, GrantStep, NewGrant, Recipient, StepKind, StepState, progress, store,
};
use crate::products::{self, Product, Step};
use accounts::users::{self, User};
use db::Conn;
use game_servers::command_template::{CommandTemplate, Profile};
use game_servers::servers::{self, COMMANDS};
use kernel::input::{Fault, Faults, Positive};
use kernel::queue;
use kernel::types::SteamId;
use kernel::write::audit::Entry;
use kernel::write::{Change, Edit};
use kernel::{Error, ErrorCode, Result};

const NO_STEAM: &str = "The user has linked no Steam profile.";
const NO_DISCORD: &str = "The user has linked no Discord profile.";
const NO_SERVER: &str = "The servers of this step were deleted.";
const SERVER_DELETED: &str = "The server was deleted.";
const NOT_CHOSEN: &str = "The order names no server on which this step runs.";

/// The product that is given, and why.
pub struct Giving {
    pub product: Product,
    pub invoice_id: Option<i64>,
    pub server_id: Option<i64>,
    pub reason: String,
}

/// The name and the links of a user that commands can have.
pub async fn recipient(conn: &mut Conn, user_id: i64, username: &str) -> Result<Recipient> {
    let links = users::social_links(conn, user_id).await?;
    let linked = |profile: Profile| {
        let link = links.iter().find(|link| link.network == profile.network());
        link.map(|link| link.profile_url.as_str())
    };
    Ok(Recipient {
        username: username.to_owned(),
        steam_id: linked(Profile::Steam).and_then(SteamId::parse),
        discord_id: linked(Profile::Discord).and_then(discord_id),
    })
}

/// Discord's ids are numbers of 17 to 20 digits.
fn discord_id(text: &str) -> Option<u64> {
    let is_id = (17..=20).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| is_id)
}

/// Why a step for a server cannot be carried out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    NoServer,
    ServerDeleted,
    NoProfile(Profile),
}

impl Obstacle {
    pub fn sentence(self) -> &'static str {
        match self {
            Self::NoServer => NO_SERVER,
            Self::ServerDeleted => SERVER_DELETED,
            Self::NoProfile(Profile::Steam) => NO_STEAM,
            Self::NoProfile(Profile::Discord) => NO_DISCORD,
        }
    }
}

/// Gives a product without an invoice.
pub async fn create(edit: &mut Edit, new: NewGrant) -> Result<Change<Grant>> {
    let NewGrant {
        user_id: Positive(user_id),
        product_id: Positive(product_id),
        server_id,
        reason,
    } = new;
    let missing = |code, what| Error::Missing { code, what };
    let mut user = users::locked(edit, user_id)
        .await?
        .ok_or(missing(ErrorCode::UserNotFound, "user"))?;
    let product = products::hold(edit, product_id)
        .await?
        .ok_or(missing(ErrorCode::ProductNotFound, "product"))?;
    let server_id = server_id.map(|Positive(id)| id);
    let mut faults = Faults::default();
    if !product.active {
        faults.at("product_id").add(Fault::Inactive {});
    }
    if let Some(fault) = product.check_server(server_id) {
        faults.at("server_id").add(fault);
    }
    faults.check()?;
    let giving = Giving {
        product,
        invoice_id: None,
        server_id,
        reason: reason.unwrap_or_default().into_string(),
    };
    let (grant, progress) = insert(edit, &mut user, giving).await?;
    Ok(Change::created(grant).followed_by(progress))
}

/// Gives the product of an invoice, as part of the change that pays it. The user must be locked.
/// Returns the audit entries.
pub async fn give(edit: &mut Edit, user: &mut User, giving: Giving) -> Result<Vec<Entry>> {
    let (grant, progress) = insert(edit, user, giving).await?;
    Ok(Change::created(grant).followed_by(progress).into_entries())
}

async fn insert(
    edit: &mut Edit,
    user: &mut User,
    giving: Giving,
) -> Result<(Grant, Option<Entry>)> {
    let Giving {
        product,
        invoice_id,
        server_id,
        reason,
    } = giving;
    let recipient = recipient(edit, user.id, &user.username).await?;
    let mut grant = Grant {
        id: 0,
        product_id: product.id,
        product_name: product.name.clone(),
        user_id: user.id,
        invoice_id,
        server_id,
        state: GrantState::Pending,
        reason,
        recipient,
        created_at: edit.now(),
        finished_at: None,
        revoked_at: None,
        steps: Vec::new(),
    };
    // Roles are given at once, so that the grant need not be stored again.
    let is_of_roles = |step: &Step| matches!(step, Step::Role { .. });
    let expected = match product.steps.iter().all(is_of_roles) {
        true => GrantState::Done,
        false => GrantState::Pending,
    };
    set_state(edit, &mut grant, expected);
    grant.id = store::insert(edit, &grant).await?;
    let place = Place::of(&product, server_id);
    for step in &product.steps {
        for mut step in steps(edit, step, place) {
            match step.kind {
                StepKind::Role => role_steps::carry_out(edit, user, grant.id, &mut step).await?,
                StepKind::Rcon | StepKind::Plugin => check(edit, &grant, &mut step).await?,
            }
            step.id = store::insert_step(edit, grant.id, &step).await?;
            grant.steps.push(step);
        }
    }
    let now = queue::now(edit.core());
    for step in &mut grant.steps {
        enqueue(edit, step, now).await?;
    }
    let state = grant.derived_state();
    if state != expected {
        set_state(edit, &mut grant, state);
        store::update(edit, &grant).await?;
    }
    let progress = progress(&grant, GrantState::Pending);
    Ok((grant, progress))
}

/// Sets the state of a new grant.
fn set_state(edit: &Edit, grant: &mut Grant, state: GrantState) {
    grant.state = state;
    grant.finished_at = (state != GrantState::Pending).then(|| edit.now());
}

/// Adds a pending command to the queue.
pub async fn enqueue(edit: &mut Edit, step: &mut GrantStep, at: i64) -> Result<()> {
    let is_command = step.kind == StepKind::Rcon && step.state == StepState::Pending;
    if let Some(server_id) = step.server_id.filter(|_| is_command) {
        COMMANDS.schedule(edit, server_id, step.id, at).await?;
        step.next_attempt_at = Some(at);
    }
    Ok(())
}

/// Where the steps for servers run.
#[derive(Clone, Copy)]
enum Place {
    /// On all their servers.
    All,
    /// On the one that the order names.
    Server(i64),
    /// The order should name a server, and names none that the product still has.
    Nowhere,
}

impl Place {
    fn of(product: &Product, chosen: Option<i64>) -> Self {
        let mut servers = product.steps.iter().flat_map(Step::server_ids);
        match chosen {
            _ if !product.choose_server => Self::All,
            Some(chosen) if servers.any(|id| *id == chosen) => Self::Server(chosen),
            _ => Self::Nowhere,
        }
    }
}

/// The steps of a grant that a step of the product becomes: one for each server.
fn steps(edit: &Edit, step: &Step, place: Place) -> Vec<GrantStep> {
    let now = edit.now();
    let kind = match step {
        Step::Role { .. } => StepKind::Role,
        Step::Rcon { .. } => StepKind::Rcon,
        Step::Plugin { .. } => StepKind::Plugin,
    };
    let fresh = |server_id| {
        let mut made = GrantStep::new(kind, server_id, now);
        match step {
            Step::Role { role_id, seconds } => {
                (made.role_id, made.seconds) = (*role_id, *seconds);
            }
            Step::Rcon {
                command,
                undo_command,
                repeatable,
                ..
            } => {
                made.command = Some(command.clone());
                made.undo_command.clone_from(undo_command);
                made.repeatable = *repeatable;
            }
            Step::Plugin { payload, .. } => made.payload = Some(payload.clone()),
        }
        made
    };
    match (step.server_ids(), place) {
        ([], _) => vec![fresh(None)],
        (_, Place::Nowhere) => {
            let mut step = fresh(None);
            step.fail(NOT_CHOSEN);
            vec![step]
        }
        (servers, Place::All) => servers.iter().map(|id| fresh(Some(*id))).collect(),
        (servers, Place::Server(chosen)) => {
            let servers = servers.iter().filter(|id| **id == chosen);
            servers.map(|id| fresh(Some(*id))).collect()
        }
    }
}

/// Fails a step for a server that cannot be carried out.
pub async fn check(edit: &mut Edit, grant: &Grant, step: &mut GrantStep) -> Result<()> {
    if step.state == StepState::Pending
        && let Some(obstacle) = obstacle(edit, grant, step).await?
    {
        step.fail(obstacle.sentence());
    }
    Ok(())
}

/// Why a step for a server cannot be carried out, or taken back.
pub async fn obstacle(
    edit: &mut Edit,
    grant: &Grant,
    step: &GrantStep,
) -> Result<Option<Obstacle>> {
    let Some(server_id) = step.server_id else {
        return Ok(Some(Obstacle::NoServer));
    };
    if servers::existing_ids(edit, &[server_id]).await?.is_empty() {
        return Ok(Some(Obstacle::ServerDeleted));
    }
    let missing = match step.kind {
        StepKind::Plugin => (!grant.recipient.has(Profile::Steam)).then_some(Profile::Steam),
        _ => {
            let template = step.next_command().map(CommandTemplate::parse);
            let template = template.and_then(Result::ok);
            template.and_then(|template| template.render(&grant.values(server_id)).err())
        }
    };
    Ok(missing.map(Obstacle::NoProfile))
}
