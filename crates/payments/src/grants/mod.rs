//! Grants: a product, given to a user.
//!
//! [`giving`] makes a grant in the transaction that pays an invoice and carries out its role steps;
//! [`role_steps`] knows the periods that they add. [`sender`] sends its commands,
//! [`deliveries`] waits for plugins. [`taking_back`] cancels, revokes and undoes, [`repairs`] has
//! what people do with a step that failed.

pub mod deliveries;
pub mod gauges;
mod giving;
pub mod http;
mod input;
mod repairs;
mod resource;
mod role_steps;
pub mod sender;
mod store;
mod taking_back;

use db::Conn;
use futures_util::future::BoxFuture;
use serde::Serialize;

pub use self::giving::{Giving, create, give, recipient};
pub use self::input::{
    DeliveryFailure, GrantFilters, NewGrant, PendingDeliveryFilters, StepResolution,
};
pub use self::repairs::{resolve, retry};
pub use self::resource::{Grant, GrantState, GrantStep, Period, Recipient, StepKind, StepState};
pub use self::sender::State;
pub use self::store::{find, of_invoices};
pub use self::taking_back::{cancel, revoke, revoke_of_invoice};

use accounts::users::{self, User};
use kernel::list::{Total, Window};
use kernel::write::audit::{Entry, Side};
use kernel::write::{Edit, Fact, Resource, Target};
use kernel::{Error, Result};

/// Grants are counted only up to this number.
const MAX_TOTAL: i64 = 10_000;

pub async fn get(conn: &mut Conn, id: i64) -> Result<Grant> {
    let grant = find(conn, id).await?;
    grant.ok_or(Error::NotFound(Grant::SINGULAR))
}

/// Reads at most the limit of the window, newest first.
pub async fn list(conn: &mut Conn, filters: &GrantFilters, window: Window) -> Result<Vec<Grant>> {
    Ok(store::list(conn, filters, window).await?)
}

/// How many grants match the filters, counted up to [`MAX_TOTAL`].
pub async fn count(conn: &mut Conn, filters: &GrantFilters) -> Result<Total> {
    let counted = store::count(conn, filters, MAX_TOTAL + 1).await?;
    Ok(match counted {
        ..=MAX_TOTAL => Total::Exactly(counted),
        _ => Total::AtLeast(MAX_TOTAL),
    })
}

/// The grant to change with its user, both locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<(Target<Grant>, User)> {
    let user_id = store::user_id(edit, id).await?;
    let user_id = user_id.ok_or(Error::NotFound(Grant::SINGULAR))?;
    let user = users::locked(edit, user_id).await?;
    let user = user.ok_or_else(|| Error::internal("a grant to a user who does not exist"))?;
    store::lock(edit, id).await?;
    let grant = find(edit, id).await?;
    Ok((edit.target(grant)?, user))
}

/// The part of a grant that the audit entries of its progress show.
#[derive(Serialize)]
struct Progress {
    state: GrantState,
}

/// Stores the grant and all its steps; see [`save_step`].
async fn save(edit: &mut Edit, before: GrantState, grant: &mut Grant) -> Result<Option<Entry>> {
    for step in &grant.steps {
        store::update_step(edit, step).await?;
    }
    save_state(edit, before, grant).await
}

/// Stores the grant and one step of it, with the state that follows from all steps. Returns the
/// entry of a grant that is done or needs attention now.
async fn save_step(
    edit: &mut Edit,
    before: GrantState,
    grant: &mut Grant,
    step_id: i64,
) -> Result<Option<Entry>> {
    for step in grant.steps.iter().filter(|step| step.id == step_id) {
        store::update_step(edit, step).await?;
    }
    save_state(edit, before, grant).await
}

async fn save_state(
    edit: &mut Edit,
    before: GrantState,
    grant: &mut Grant,
) -> Result<Option<Entry>> {
    grant.state = grant.derived_state();
    if grant.finished_at.is_none() && grant.state != GrantState::Pending {
        grant.finished_at = Some(edit.now());
    }
    store::update(edit, grant).await?;
    Ok(progress(grant, before))
}

/// The entry of a grant that is done or needs attention now.
fn progress(grant: &Grant, before: GrantState) -> Option<Entry> {
    let verb = match grant.state {
        state if state == before => return None,
        GrantState::Done => "done",
        GrantState::Attention => "attention",
        GrantState::Pending | GrantState::Cancelled | GrantState::Revoked => return None,
    };
    Some(Entry {
        action: format!("{}.{verb}", Grant::PLURAL),
        resource: Grant::PLURAL,
        resource_id: grant.id,
        about_user_id: Some(grant.user_id),
        before: Side::of(&Progress { state: before }),
        after: Side::of(&Progress { state: grant.state }),
    })
}

/// Does what changes of roles, servers and users mean for grants and products.
pub fn follow<'a>(edit: &'a mut Edit, fact: Fact<'a>) -> BoxFuture<'a, Result<()>> {
    use crate::products::{Lost, disable_those_with};
    Box::pin(async move {
        match fact {
            Fact::RoleDeleted { role_id } => {
                disable_those_with(edit, Lost::Role(role_id)).await?;
                taking_back::undo_of_deleted_role(edit, role_id).await
            }
            Fact::RoleEndSet {
                user_id,
                role_id,
                end,
            } => role_steps::shorten(edit, user_id, role_id, end).await,
            Fact::RolesEnded { ended } => taking_back::undo_of_ended_roles(edit, ended).await,
            Fact::ServerDeleted { server_id } => {
                disable_those_with(edit, Lost::Server(server_id)).await?;
                taking_back::fail_those_on(edit, server_id).await
            }
            Fact::UserErased { user_id } => taking_back::erase(edit, user_id).await,
            // A user with grants cannot be deleted.
            Fact::UserDeleted { .. } | Fact::UsersChanged { .. } => Ok(()),
        }
    })
}
