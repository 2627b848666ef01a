//! Signing in with a profile at Steam or Discord. The service verifies the profile; the site of the
//! community sends the visitor to the provider and gets the answer.
//!
//! [`start`] stores a state, which is bound to the visitor's browser. [`verify`] checks the answer
//! outside of any transaction, since it asks the provider. [`finish`] uses the state up in the
//! transaction that begins the session or links the profile.

mod answer;
mod discord;
pub mod http;
mod input;
mod provider;
mod refusal;
mod settings;
mod state;
mod steam;
mod store;

#[cfg(feature = "fuzzing")]
pub use self::answer::Answer;
pub use self::input::{FinishSignIn, StartSignIn};
pub use self::provider::{MAX_CONCURRENT, Providers};
pub use self::settings::{Address, Discord, ReturnTo, Settings, Steam};
pub use self::state::{State, forget_expired, forget_states};

#[cfg(not(feature = "fuzzing"))]
use self::answer::Answer;
use self::provider::Verified;
use self::refusal::Refusal;
use self::state::{Begun, Taken};
use crate::passwords::limits;
use crate::sessions::{self, ClientIp, SignedIn, Visit};
use crate::users::identities::{self, Identity, Provider};
use crate::users::{self, NewDevice, User, sign_in as user_sign_in};
use kernel::auth::Actor;
use kernel::input::{Fault, Faults};
use kernel::write::audit::Entry;
use kernel::write::{Change, Edit};
use kernel::{Error, ErrorCode, Result};

/// The outcome of a finished sign-in.
pub enum Finished {
    SignedIn {
        session: SignedIn,
        /// Whether the user is new.
        created: bool,
    },
    /// The profile is linked to this user.
    Linked(User),
}

/// A profile whose provider has verified it.
pub struct VerifiedSignIn {
    open: state::Open,
    profile: Verified,
}

impl VerifiedSignIn {
    /// The id at the provider.
    pub fn subject(&self) -> &str {
        &self.profile.subject
    }
}

/// Begins a sign-in: the visitor goes to the URL, and the browser keeps the token.
pub async fn start(
    state: &State,
    provider: Provider,
    caller: &Actor,
    start: StartSignIn,
) -> Result<Begun> {
    let StartSignIn {
        return_to,
        session_token,
        client_ip,
    } = start;
    let return_to = return_to.into_string();
    if !state.providers.settings().may_return_to(&return_to) {
        return Err(Faults::one("return_to", Fault::UnknownReturnUrl {}).into());
    }
    let session_id = match &session_token {
        Some(token) => Some(sessions::current(&state.sessions, token).await?.row_id),
        None => None,
    };
    let address = client_ip.map(|ClientIp(ip)| ip).or(caller.ip);
    if let Some(retry_after) = limits::claim_start(&state.kernel().core, address).await? {
        return Err(Error::TooManyRequests {
            code: ErrorCode::TooManyAttempts,
            message: "Too many sign-ins were begun from this network. Try again later.",
            retry_after,
        });
    }
    state::begin(state, provider, return_to, session_id).await
}

/// Checks the answer with which the visitor came back. A failure is in the log with its reason.
pub async fn verify(
    state: &State,
    provider: Provider,
    actor: &Actor,
    finish: &FinishSignIn,
) -> Result<VerifiedSignIn> {
    let checked = check(state, provider, finish).await;
    checked.map_err(|refusal| refusal.into_error(provider, actor))
}

async fn check(
    state: &State,
    provider: Provider,
    finish: &FinishSignIn,
) -> Result<VerifiedSignIn, Refusal> {
    let answer = Answer::parse(finish.query.as_str())?;
    let open = state::find(state, provider, &answer, &finish.browser_token).await?;
    let now = state.kernel().core.clock.now();
    let profile = state
        .providers
        .verify(provider, &answer, &open, now)
        .await?;
    Ok(VerifiedSignIn { open, profile })
}

/// Signs the visitor in, or links the profile to the user who began. Never looks for a user by name,
/// address or social link: those are not verified.
pub async fn finish(
    edit: &mut Edit,
    provider: Provider,
    finish: FinishSignIn,
    verified: VerifiedSignIn,
) -> Result<Change<Finished>> {
    let known = identities::find(edit, provider, &verified.profile.subject).await?;
    match (known, verified.open.user_id) {
        (_, Some(user_id)) => link(edit, user_id, provider, verified).await,
        (Some(identity), None) => sign_in(edit, identity, finish, verified, Vec::new()).await,
        (None, None) => {
            // Another request may be creating the user.
            identities::lock(edit).await?;
            match identities::find(edit, provider, &verified.profile.subject).await? {
                Some(identity) => sign_in(edit, identity, finish, verified, Vec::new()).await,
                None => sign_up(edit, provider, finish, verified).await,
            }
        }
    }
}

/// Links the profile to the user of a session.
async fn link(
    edit: &mut Edit,
    user_id: i64,
    provider: Provider,
    verified: VerifiedSignIn,
) -> Result<Change<Finished>> {
    identities::lock(edit).await?;
    let user = users::locked(edit, user_id).await?;
    let mut user = user.ok_or_else(|| state_is_gone(edit, provider))?;
    take(edit, provider, &verified).await?;
    sessions::refuse_blocked(&mut user)?;
    let subject = verified.profile.subject;
    let known = identities::find(edit, provider, &subject).await?;
    if known.as_ref().is_some_and(|known| known.user_id != user_id) {
        return Err(Error::Conflict {
            code: ErrorCode::IdentityTaken,
            message: "Another user signs in with this profile.",
        });
    }
    let user = edit.part(Some(user))?;
    let change = match known {
        Some(_) => Change::of_action("link_identity", &user, &serde_json::json!({}), ()),
        None => {
            let linked = identities::link(edit, user, provider, subject.clone()).await?;
            linked.map(|_| ())
        }
    };
    let further = link_profile(edit, user_id, provider, &subject).await?;
    let now = edit.core().expiry_now();
    let user = users::get(edit, now, user_id).await?;
    let change = change.followed_by(further).with_etag_of(&user);
    Ok(change.map(|()| Finished::Linked(user)))
}

/// Creates a user for a profile that nobody has. The profile is locked.
async fn sign_up(
    edit: &mut Edit,
    provider: Provider,
    mut finish: FinishSignIn,
    verified: VerifiedSignIn,
) -> Result<Change<Finished>> {
    if finish.create == Some(false) {
        return Err(Error::Rejected {
            code: ErrorCode::UnknownIdentity,
            message: "No user signs in with this profile.",
        });
    }
    let registered = user_sign_in::register(edit, finish.username.take()).await?;
    let (user, mut entries) = registered.into_value_and_entries();
    let user = edit.part(Some(user))?;
    let subject = verified.profile.subject.clone();
    let linked = identities::link(edit, user, provider, subject).await?;
    let (identity, of_link) = linked.into_value_and_entries();
    entries.extend(of_link);
    let change = sign_in(edit, identity, finish, verified, entries).await?;
    Ok(change.map(|finished| match finished {
        Finished::SignedIn { session, .. } => Finished::SignedIn {
            session,
            created: true,
        },
        other => other,
    }))
}

/// Begins a session of the user with this identity. `entries` are those of what came first.
async fn sign_in(
    edit: &mut Edit,
    identity: Identity,
    finish: FinishSignIn,
    verified: VerifiedSignIn,
    mut entries: Vec<Entry>,
) -> Result<Change<Finished>> {
    let provider = identity.provider;
    let user = users::locked(edit, identity.user_id).await?;
    // It may have been unlinked before the user was locked.
    let known = identities::find(edit, provider, &identity.subject).await?;
    let is_current = known.is_some_and(|known| known.id == identity.id);
    let Some(mut user) = user.filter(|_| is_current) else {
        return Err(Error::Busy);
    };
    take(edit, provider, &verified).await?;
    sessions::refuse_blocked(&mut user)?;
    let (user_id, now) = (user.id, edit.now());
    identities::touch(edit, identity.id, now).await?;
    entries.extend(link_profile(edit, user_id, provider, &identity.subject).await?);
    let FinishSignIn {
        query: _,
        browser_token: _,
        device_name,
        user_agent,
        client_ip,
        username: _,
        create: _,
    } = finish;
    let visit = Visit {
        device: NewDevice {
            name: device_name,
            user_agent,
        },
        client_ip: client_ip.map(|ClientIp(ip)| ip),
        identity: Some(identity),
    };
    let begun = sessions::begin(edit, user, visit).await?;
    let begun = begun.preceded_by(entries);
    Ok(begun.map(|session| Finished::SignedIn {
        session,
        created: false,
    }))
}

/// Adds the social link of a verified profile, if the user has none of its network. Returns the
/// entries.
async fn link_profile(
    edit: &mut Edit,
    user_id: i64,
    provider: Provider,
    subject: &str,
) -> Result<Vec<Entry>> {
    let now = edit.core().expiry_now();
    let user = users::get(edit, now, user_id).await?;
    let user = edit.part(Some(user))?;
    let added = users::add_verified_link(edit, user, provider.name(), subject).await?;
    Ok(added.map(Change::into_entries).unwrap_or_default())
}

/// Uses up the state and the nonce, in the transaction that does what they allow.
async fn take(edit: &mut Edit, provider: Provider, verified: &VerifiedSignIn) -> Result<()> {
    let taken = state::take(edit, &verified.open, verified.profile.nonce.as_ref()).await?;
    let reason = match taken {
        Taken::Both => return Ok(()),
        Taken::StateIsGone => return Err(state_is_gone(edit, provider)),
        Taken::NonceWasUsed => "the nonce was used before",
    };
    Err(Refusal::failed(reason).into_error(provider, edit.actor()))
}

fn state_is_gone(edit: &Edit, provider: Provider) -> Error {
    Refusal::failed("the state was used or has expired").into_error(provider, edit.actor())
}
