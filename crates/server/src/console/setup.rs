//! The first operator: created with the link that the service prints.

use super::sign_in::{self, SignedIn};
use super::{Token, Visit, store};
use crate::app::App;
use crate::operators::{self, Operator};
use crate::users::{self, Email, NewUser, Password, Username};
use kernel::auth::permission::PermissionSet;
use kernel::auth::{Actor, console::token_hash};
use kernel::input::Text;
use kernel::types::Timestamp;
use kernel::types::time::HOUR;
use kernel::write::etag::Condition;
use kernel::write::{Change, Edit};
use kernel::{Core, Error, ErrorCode, Result, input};
use serde::Serialize;

/// For how long a link is valid.
pub const SETUP_HOURS: i64 = 24;

input! {
    /// The first operator.
    pub struct ConsoleSetup {
        /// The token of the link that the service printed.
        token: Text<1, 100>,
        /// Unique without regard to case.
        username: Username,
        /// Unique without regard to case.
        email: Email,
        /// 8 to 1024 bytes in UTF-8. It is stored only as a hash.
        password: Password,
    }
}

const INVALID: Error = Error::Rejected {
    code: ErrorCode::InvalidSetupToken,
    message: "This link is not valid, or not any more. `steward operator invite` prints another.",
};

const HAS_OPERATOR: Error = Error::Conflict {
    code: ErrorCode::SetupDone,
    message: "There is an operator already, who can add others.",
};

/// The link in the audit log, which shows nothing of its token.
#[derive(Serialize)]
struct Invitation {
    expires_at: Timestamp,
}

#[derive(Serialize)]
struct Nothing {}

/// A token for the first start: `None` if there is an operator, or if a link was printed before.
pub async fn first_token(core: &Core) -> Result<Option<Token>> {
    let edit = Edit::command_line(core).await?;
    make_token(edit, true).await
}

/// Another token. Those before are not valid any more. `None` if there is an operator.
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
    let invitation = Invitation { expires_at };
    let change = Change::of_many::<Operator>("invite", &Nothing {}, &invitation, ());
    edit.commit(change).await?;
    Ok(Some(token))
}

/// The link to print. The token is after `#`, which browsers do not send.
pub fn setup_link(origin: &str, token: &Token) -> String {
    format!("{origin}/console/setup#token={}", token.reveal())
}

/// Creates the first operator, with every permission, and signs them in.
pub async fn set_up(
    app: &App,
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
    let hash = token_hash(token.as_str());
    // Hashing a password is slow, and anyone can send this request.
    if !store::setup::is_valid(&mut *app.db.read().await?, &hash, app.expiry_now()).await? {
        return Err(INVALID);
    }
    let password_hash = app.passwords.hash(&password).await?;
    let actor = Actor {
        permissions: PermissionSet::all(),
        ..visitor
    };
    let mut edit = Edit::begin(app, actor, Condition::none()).await?;
    edit.lock_api_keys().await?;
    if operators::count(&mut edit).await? > 0 {
        return Err(HAS_OPERATOR);
    }
    let now = edit.core().expiry_now();
    if !store::setup::is_valid(&mut edit, &hash, now).await? {
        return Err(INVALID);
    }
    store::setup::expire_all(&mut edit).await?;
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
        permissions: PermissionSet::all(),
        two_factor: false,
        has_all_permissions: true,
        username: user.username,
        email: user.email,
        last_sign_in_at: None,
        created_at: edit.now(),
    };
    let made = operators::add(&mut edit, operator.clone()).await?;
    sign_in::start(edit, operator, visit, Some(made)).await
}
