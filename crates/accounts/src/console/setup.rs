//! Setup links, with which the first operator is created, and those who were invited.

use std::net::IpAddr;

use db::Conn;

use super::invitations::{self, Invitation};
use super::sign_in::{self, SignedIn};
use super::{Token, Visit, store};
use crate::operators::{self, Failures, Operator};
use crate::passwords::Password;
use crate::sessions::State;
use crate::users::{self, Email, NewUser, Username};
use kernel::auth::permission::PermissionSet;
use kernel::auth::{Actor, console::token_hash};
use kernel::input::Text;
use kernel::types::time::HOUR;
use kernel::types::{Timestamp, client_network};
use kernel::write::etag::Condition;
use kernel::write::{Change, Edit};
use kernel::{Core, Error, ErrorCode, Result, input};
use serde::Serialize;

/// How long a link is valid.
pub const SETUP_HOURS: i64 = 24;

input! {
    /// The first operator, or one who was invited.
    pub struct ConsoleSetup {
        /// The token of the link that the service printed, or of an invitation.
        token: Text<1, 100>,
        /// Unique, ignoring case.
        username: Username,
        /// Unique, ignoring case.
        email: Email,
        /// 8 to 1024 bytes in UTF-8. It is stored only as a hash.
        password: Password,
    }
}

input! {
    /// The token of a link.
    pub struct SetupToken {
        token: Text<1, 100>,
    }
}

const INVALID: Error = Error::Rejected {
    code: ErrorCode::InvalidSetupToken,
    message: "This link is invalid, was used, or has expired. Ask for another invitation; \
              `steward operator invite` prints a link for the first operator.",
};

/// The purpose of a token.
#[derive(Debug)]
pub enum Purpose {
    /// The first operator, who gets every permission.
    FirstOperator {
        expires_at: Timestamp,
    },
    Invitation(Invitation),
}

impl Purpose {
    async fn find(conn: &mut Conn, token: &str, now: Timestamp) -> Result<Option<Self>> {
        let hash = token_hash(token);
        if let Some(expires_at) = store::setup::find_expiry(conn, &hash, now).await? {
            return Ok(Some(Self::FirstOperator { expires_at }));
        }
        let invitation = invitations::find_valid(conn, &hash, now).await?;
        Ok(invitation.map(Self::Invitation))
    }

    pub fn permissions(&self) -> PermissionSet {
        match self {
            Self::FirstOperator { .. } => PermissionSet::all(),
            Self::Invitation(invitation) => invitation.permissions,
        }
    }
}

/// Whether there is no operator yet.
pub async fn is_needed(conn: &mut Conn) -> Result<bool> {
    Ok(operators::count(conn).await? == 0)
}

/// Finds the purpose of a token. Wrong tokens are limited like wrong keys.
pub async fn check_token(state: &State, ip: Option<IpAddr>, token: &str) -> Result<Purpose> {
    let core = &state.kernel.core;
    let found = Purpose::find(&mut *core.db.read().await?, token, core.expiry_now()).await?;
    found.ok_or_else(|| {
        let network = ip.map(client_network);
        let refusal =
            network.map(|from| state.kernel.wrong_keys.record(from, core.clock.elapsed()));
        match refusal {
            Some(error @ Error::TooManyRequests { .. }) => error,
            _ => INVALID,
        }
    })
}

const HAS_OPERATOR: Error = Error::Conflict {
    code: ErrorCode::SetupDone,
    message: "There is an operator already, who can add others.",
};

/// The link in the audit log, without its token.
#[derive(Serialize)]
struct SetupLink {
    expires_at: Timestamp,
}

#[derive(Serialize)]
struct Nothing {}

/// The token of the first start; `None` if there is an operator or an earlier link.
pub async fn first_token(core: &Core) -> Result<Option<Token>> {
    let edit = Edit::command_line(core).await?;
    make_token(edit, true).await
}

/// Creates a new token and invalidates earlier ones. `None` if there is an operator.
pub async fn invite(core: &Core) -> Result<Option<Token>> {
    let edit = Edit::command_line(core).await?;
    make_token(edit, false).await
}

async fn make_token(mut edit: Edit, only_first: bool) -> Result<Option<Token>> {
    edit.lock_api_keys().await?;
    let was_printed = only_first && store::setup::exists(&mut edit).await?;
    if was_printed || operators::count(&mut edit).await? > 0 {
        return Ok(None);
    }
    let token = Token::generate();
    let now = edit.core().expiry_now();
    let expires_at = Timestamp::from_unix(now.unix() + SETUP_HOURS * HOUR);
    store::setup::expire_all(&mut edit).await?;
    store::setup::insert(&mut edit, &token.hash(), expires_at).await?;
    let link = SetupLink { expires_at };
    let change = Change::of_many::<Operator>("invite", &Nothing {}, &link, ());
    edit.commit(change).await?;
    Ok(Some(token))
}

/// The part of a link between the origin and the token. Browsers do not send what follows `#`.
const LINK_PATH: &str = "/console/setup#token=";

/// The link to print.
pub fn setup_link(origin: &str, token: &Token) -> String {
    format!("{origin}{LINK_PATH}{}", token.reveal())
}

/// Whether a link still creates the first operator.
pub async fn is_link_valid(core: &Core, link: &str) -> Result<bool> {
    let Some((_, token)) = link.split_once(LINK_PATH) else {
        return Ok(false);
    };
    let mut read = core.db.read().await?;
    let purpose = Purpose::find(&mut read, token, core.expiry_now()).await?;
    Ok(matches!(purpose, Some(Purpose::FirstOperator { .. })) && is_needed(&mut read).await?)
}

/// Creates the operator that the token is for, and signs them in.
pub async fn set_up(
    state: &State,
    visitor: Actor,
    visit: &Visit,
    setup: ConsoleSetup,
) -> Result<SignedIn> {
    let ConsoleSetup {
        token,
        username,
        email,
        password,
    } = setup;
    // Validates the token first: hashing a password is slow, and anyone can send this request.
    let purpose = check_token(state, visitor.ip, token.as_str()).await?;
    let password_hash = state.passwords.hash(&password).await?;
    let actor = Actor {
        permissions: purpose.permissions(),
        ..visitor
    };
    let mut edit = Edit::begin(&state.kernel.core, actor, Condition::none()).await?;
    edit.lock_api_keys().await?;
    let now = edit.core().expiry_now();
    let purpose = Purpose::find(&mut edit, token.as_str(), now).await?;
    let purpose = purpose.ok_or(INVALID)?;
    match &purpose {
        Purpose::FirstOperator { .. } if !is_needed(&mut edit).await? => return Err(HAS_OPERATOR),
        Purpose::FirstOperator { .. } => store::setup::expire_all(&mut edit).await?,
        Purpose::Invitation(invitation) => {
            store::invitations::delete(&mut edit, invitation.id).await?;
        }
    }
    let new = NewUser {
        username,
        email,
        password,
        role_ids: None,
    };
    let user = users::create(&mut edit, new, password_hash)
        .await?
        .into_part();
    let operator = Operator {
        user_id: user.id,
        active: true,
        permissions: purpose.permissions(),
        two_factor: false,
        has_all_permissions: matches!(purpose, Purpose::FirstOperator { .. }),
        username: user.username,
        email: user.email,
        last_sign_in_at: None,
        created_at: edit.now(),
        failures: Failures::default(),
    };
    let made = operators::add(&mut edit, operator.clone()).await?;
    let made = match &purpose {
        Purpose::Invitation(used) => made.with_deleted_part("invitation", used),
        Purpose::FirstOperator { .. } => made,
    };
    sign_in::start(edit, operator, visit, Some(made)).await
}
