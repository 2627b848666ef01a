//! Bans and mutes of players on game servers.
//!
//! Steward keeps the list and answers questions; the plugin on a server enforces it. [`check`] says
//! whether a player is banned, [`feed`] tells a plugin what has changed, [`commands`] kicks and mutes
//! players who are on a server now. [`import`] takes the bans of other programs from a dump, and
//! [`ip_range`] compares addresses.

pub mod check;
pub mod commands;
pub mod feed;
pub mod http;
pub mod import;
mod input;
mod ip_range;
mod resource;
mod store;

use db::Conn;
use futures_util::future::BoxFuture;

use accounts::operators;
use accounts::users;
use game_servers::command_template::Profile;
use game_servers::servers;
use kernel::input::{
    Fault, Faults, Ids, Int, Moment, Nullable, Partial, Patch, Positive, Referent,
};
use kernel::list::{Total, Window};
use kernel::types::time::DAY;
use kernel::types::{Expiry, SteamId, Timestamp};
use kernel::write::audit::Entry;
use kernel::write::{Change, Edit, Fact, Resource, Target};
use kernel::{Error, ErrorCode, Kernel, Result};
use platform::audit::events::{Events, StoredActor};

use self::commands::CommandKind;
pub use self::input::{
    AnySteamId, BanChanges, BanFilters, BanLift, BansLift, Evidence, IssuedBy, NewBan, Seconds,
    ServerIds,
};
pub use self::ip_range::{IpAddress, IpRange};
pub use self::resource::{Ban, BanKind, BanState, Lift, Source, Subject};

/// Bans are counted only up to this number.
const MAX_TOTAL: i64 = 10_000;
/// How many bans one request lifts.
const MOST_LIFTED: i64 = 1_000;
/// How long a ban of an address alone may last. Addresses move on.
const ADDRESS_YEARS: i64 = 1;
/// In place of the name of an operator who was erased.
const MASK: &str = "***";
/// How many bans of a deleted user are changed at a time.
const BATCH: i64 = 200;
/// The reason in bans of users who were deleted or erased and who were banned only as users.
const USER_GONE: &str = "The user was deleted or erased.";

/// The state of the slice. Cheap to clone.
#[derive(Clone)]
pub struct State {
    pub kernel: Kernel,
    pub events: Events,
}

pub async fn get(conn: &mut Conn, id: i64) -> Result<Ban> {
    let ban = store::find(conn, id).await?;
    ban.ok_or(Error::NotFound(Ban::SINGULAR))
}

/// Reads at most the limit of the window, newest first. `total` is how many match, if it is known.
pub async fn list(
    conn: &mut Conn,
    filters: &BanFilters,
    now: Timestamp,
    window: Window,
    total: Option<Total>,
) -> Result<Vec<Ban>> {
    let plan = match total {
        Some(Total::Exactly(_)) => store::Plan::FewMatch,
        Some(Total::AtLeast(_)) | None => store::Plan::ManyMatch,
    };
    Ok(store::list(conn, filters, now, window, plan).await?)
}

/// How many bans match the filters, counted up to [`MAX_TOTAL`].
pub async fn count(conn: &mut Conn, filters: &BanFilters, now: Timestamp) -> Result<Total> {
    let counted = store::count(conn, filters, now, MAX_TOTAL + 1).await?;
    Ok(match counted {
        ..=MAX_TOTAL => Total::Exactly(counted),
        _ => Total::AtLeast(MAX_TOTAL),
    })
}

/// The ban to change, locked until the end of the transaction.
pub async fn target(edit: &mut Edit, id: i64) -> Result<Target<Ban>> {
    store::lock(edit, &[id]).await?;
    let ban = store::find(edit, id).await?;
    edit.target(ban)
}

/// Bans a player, and queues what the servers' consoles do with it.
pub async fn create(edit: &mut Edit, new: NewBan) -> Result<Change<Ban>> {
    let NewBan {
        kind,
        steam_id64,
        ip_range,
        user_id,
        player_name,
        server_ids,
        reason,
        note,
        evidence,
        expires_at,
        seconds,
        kick,
    } = new;
    let mut subject = Subject {
        steam_id: steam_id64.map(|AnySteamId(id)| id),
        ip_range,
        user_id: user_id.map(|Positive(id)| id),
    };
    let server_ids = server_ids.map_or_else(Ids::default, |ServerIds(ids)| ids);
    let now = edit.core().expiry_now();
    let mut faults = subject_faults(&subject);
    let expires_at = end(now, &subject, expires_at, seconds, &mut faults);
    check_servers(edit, &server_ids, &[], &mut faults).await?;
    if let Some(id) = subject.user_id {
        if users::held(edit, id).await?.is_none() {
            faults.at("user_id").add(Fault::unknown_id(Referent::User));
        } else if subject.steam_id.is_none() {
            subject.steam_id = steam_id_of(edit, id).await?;
        }
    }
    faults.check()?;
    require_power_over(edit, &subject).await?;
    let mut ban = Ban {
        id: 0,
        kind,
        subject,
        player_name: player_name.unwrap_or_default().into_string(),
        server_ids: server_ids.into_vec(),
        reason: reason.into_string(),
        note: note.unwrap_or_default().into_string(),
        evidence: evidence.unwrap_or_default().0,
        created_at: edit.now(),
        expires_at,
        issued_by: StoredActor::from(edit.actor()),
        lifted: None,
        source: None,
    };
    ban.id = store::insert(edit, &ban).await?;
    if kick.unwrap_or(kind == BanKind::Ban) {
        commands::queue(edit, &ban, CommandKind::Kick).await?;
    }
    if kind != BanKind::Ban {
        commands::queue(edit, &ban, CommandKind::Mute).await?;
    }
    Ok(Change::created(ban))
}

/// Adds bans as they are, for demonstrations: without audit entries and commands.
pub async fn load(edit: &mut Edit, bans: &[Ban]) -> Result<()> {
    for ban in bans {
        store::insert(edit, ban).await?;
    }
    Ok(())
}

/// Checks a ban to make against the clock and the database.
pub async fn check_new(conn: &mut Conn, now: Timestamp, new: Partial<NewBan>) -> Result<Faults> {
    let mut faults = Faults::default();
    let parsed = new.steam_id64.zip(new.ip_range).zip(new.user_id);
    if let Some(((steam_id64, ip_range), user_id)) = parsed {
        let subject = Subject {
            steam_id: steam_id64.map(|AnySteamId(id)| id),
            ip_range,
            user_id: user_id.map(|Positive(id)| id),
        };
        faults.extend(subject_faults(&subject));
        if let Some((expires_at, seconds)) = new.expires_at.zip(new.seconds) {
            end(now, &subject, expires_at, seconds, &mut faults);
        }
    }
    if let Some(Some(Positive(id))) = new.user_id
        && users::brief(conn, id).await?.is_none()
    {
        faults.at("user_id").add(Fault::unknown_id(Referent::User));
    }
    if let Some(Some(ServerIds(ids))) = new.server_ids {
        check_servers(conn, &ids, &[], &mut faults).await?;
    }
    Ok(faults)
}

fn subject_faults(subject: &Subject) -> Faults {
    let fields = &["ip_range", "user_id"];
    match subject.is_empty() {
        true => Faults::one("steam_id64", Fault::RequiredUnless { fields }),
        false => Faults::default(),
    }
}

/// The end of a new ban.
fn end(
    now: Timestamp,
    subject: &Subject,
    expires_at: Option<Moment>,
    seconds: Option<Seconds>,
    faults: &mut Faults,
) -> Expiry {
    let (field, end) = match (expires_at, seconds) {
        (Some(_), Some(_)) => {
            let fields = &["expires_at", "seconds"];
            for field in fields {
                faults.at(field).add(Fault::NotTheOnlyOne { fields });
            }
            return Expiry::NEVER;
        }
        (None, Some(Int(seconds))) => {
            let end = Timestamp::from_unix(now.unix().saturating_add(seconds));
            ("seconds", Expiry::at(Some(end)))
        }
        (expires_at, None) => {
            let end = expires_at.map(|Moment(end)| end);
            ("expires_at", Expiry::at(end))
        }
    };
    if let Some(fault) = end_fault(now, subject, end) {
        faults.at(field).add(fault);
    }
    end
}

/// The faults of the end of a ban.
fn end_fault(now: Timestamp, subject: &Subject, end: Expiry) -> Option<Fault> {
    let years = match subject.is_address_alone() {
        true => ADDRESS_YEARS,
        false => Expiry::MOST_YEARS,
    };
    // No calendar has more days in a year.
    let is_too_far = end.unix().saturating_sub(now.unix()) > years * 366 * DAY;
    match end {
        _ if end.has_passed(now) => Some(Fault::NotInFuture {}),
        Expiry::NEVER if subject.is_address_alone() => Some(Fault::Required {}),
        Expiry::NEVER => None,
        _ if is_too_far => Some(Fault::TooFarAhead { years }),
        _ => None,
    }
}

/// Checks that the servers exist. Those that a ban has may have been deleted.
async fn check_servers(
    conn: &mut Conn,
    ids: &Ids,
    kept: &[i64],
    faults: &mut Faults,
) -> Result<()> {
    if ids.is_empty() {
        return Ok(());
    }
    let mut known = servers::existing_ids(conn, ids.as_slice()).await?;
    known.extend(kept);
    ids.check_known(known, "server_ids", Referent::GameServer, faults);
    Ok(())
}

/// The Steam account that a user has linked, or else the first that they sign in with. The others
/// that they sign in with are found through the user.
async fn steam_id_of(conn: &mut Conn, user_id: i64) -> Result<Option<SteamId>> {
    let links = users::social_links(conn, user_id).await?;
    let link = links
        .iter()
        .find(|link| link.network == Profile::Steam.network());
    if let Some(linked) = link.and_then(|link| SteamId::parse(&link.profile_url)) {
        return Ok(Some(linked));
    }
    let verified = users::identities::steam_ids(conn, user_id).await?;
    Ok(verified.first().and_then(|id| SteamId::parse(id)))
}

/// Refuses a ban of an operator with permissions that the caller lacks.
async fn require_power_over(edit: &mut Edit, subject: &Subject) -> Result<()> {
    let profile = subject.steam_id.map(|id| id.id64().to_string());
    let user_ids: Vec<i64> = subject.user_id.into_iter().collect();
    operators::require_power_over(edit, &user_ids, profile.as_deref()).await
}

/// Changes a ban that is active, but not who is banned.
pub async fn update(
    edit: &mut Edit,
    before: Target<Ban>,
    changes: BanChanges,
) -> Result<Change<Ban>> {
    let now = edit.core().expiry_now();
    require_active(&before, now)?;
    let BanChanges {
        reason,
        note,
        evidence,
        player_name,
        server_ids,
        expires_at,
    } = changes;
    let mut faults = Faults::default();
    let server_ids = match server_ids {
        Patch::Set(ServerIds(ids)) => {
            check_servers(edit, &ids, &before.server_ids, &mut faults).await?;
            ids.into_vec()
        }
        Patch::Keep => before.server_ids.clone(),
    };
    let expires_at = match expires_at {
        Patch::Set(Nullable(end)) => {
            let end = Expiry::at(end.map(|Moment(end)| end));
            if let Some(fault) = end_fault(now, &before.subject, end) {
                faults.at("expires_at").add(fault);
            }
            end
        }
        Patch::Keep => before.expires_at,
    };
    faults.check()?;
    require_power_over(edit, &before.subject.clone()).await?;
    let ban = Ban {
        reason: reason.or(&before.reason).into_string(),
        note: note.or(&before.note).into_string(),
        evidence: evidence.or(&before.evidence).0,
        player_name: player_name.or(&before.player_name).into_string(),
        server_ids,
        expires_at,
        ..before.clone()
    };
    store::update(edit, &ban).await?;
    Ok(Change::updated("update", &before, ban))
}

/// Checks changes of a ban against the clock and the database.
pub async fn check_changes(
    conn: &mut Conn,
    now: Timestamp,
    id: i64,
    changes: Partial<BanChanges>,
) -> Result<Faults> {
    let mut faults = Faults::default();
    let Some(ban) = store::find(conn, id).await? else {
        return Ok(faults);
    };
    if let Some(Patch::Set(Nullable(end))) = changes.expires_at {
        let end = Expiry::at(end.map(|Moment(end)| end));
        if let Some(fault) = end_fault(now, &ban.subject, end) {
            faults.at("expires_at").add(fault);
        }
    }
    if let Some(Patch::Set(ServerIds(ids))) = changes.server_ids {
        check_servers(conn, &ids, &ban.server_ids, &mut faults).await?;
    }
    Ok(faults)
}

/// Fails with 409 if the ban has expired or was lifted.
fn require_active(ban: &Ban, now: Timestamp) -> Result<()> {
    match ban.is_active(now) {
        true => Ok(()),
        false => Err(Error::Conflict {
            code: ErrorCode::BanNotActive,
            message: "The ban has expired or was lifted.",
        }),
    }
}

/// Lifts a ban. One that was lifted before stays as it is.
pub async fn lift(edit: &mut Edit, before: Target<Ban>, reason: String) -> Result<Change<Ban>> {
    let mut ban = before.clone();
    if ban.lifted.is_none() {
        require_active(&ban, edit.core().expiry_now())?;
        require_power_over(edit, &ban.subject).await?;
        end_now(edit, &mut ban, reason).await?;
    }
    Ok(Change::updated("lift", &before, ban))
}

/// Lifts all active bans of a player, at most [`MOST_LIFTED`]. Each has an entry of its own.
pub async fn lift_all(edit: &mut Edit, lift: BansLift) -> Result<Change<Vec<Ban>>> {
    let BansLift {
        steam_id64,
        ip_range,
        user_id,
        reason,
    } = lift;
    let subject = Subject {
        steam_id: steam_id64.map(|AnySteamId(id)| id),
        ip_range,
        user_id: user_id.map(|Positive(id)| id),
    };
    let now = edit.core().expiry_now();
    let mut ids = store::active_of(edit, &subject, now, MOST_LIFTED).await?;
    if let Some(steam_id) = subject.steam_id {
        // Bans of the user count for the accounts that they sign in with.
        let steam_id64 = steam_id.id64().to_string();
        let of_user = Subject {
            steam_id: None,
            ip_range: None,
            user_id: users::identities::user_of_steam_id(edit, &steam_id64).await?,
        };
        if of_user.user_id.is_some() {
            ids.extend(store::active_of(edit, &of_user, now, MOST_LIFTED).await?);
            ids.sort_unstable();
            ids.dedup();
        }
    }
    let mut entries = Vec::new();
    let mut lifted = Vec::new();
    for before in locked(edit, &ids).await? {
        // It may have ended before it was locked.
        if !before.is_active(now) {
            continue;
        }
        let before = edit.part(Some(before))?;
        let mut ban = before.clone();
        require_power_over(edit, &ban.subject).await?;
        end_now(edit, &mut ban, reason.as_str().to_owned()).await?;
        entries.extend(Change::updated("lift", &before, ban.clone()).into_entries());
        lifted.push(ban);
    }
    let ids: Vec<i64> = lifted.iter().map(|ban| ban.id).collect();
    let what = serde_json::json!({ "ids": ids });
    let change = Change::of_many::<Ban>("lift_all", &Nothing {}, &what, lifted);
    Ok(change.followed_by(entries))
}

async fn locked(edit: &mut Edit, ids: &[i64]) -> Result<Vec<Ban>> {
    match ids {
        [] => Ok(Vec::new()),
        ids => {
            store::lock(edit, ids).await?;
            Ok(store::find_many(edit, ids).await?)
        }
    }
}

/// Ends a locked ban, and queues what the servers' consoles do about it.
async fn end_now(edit: &mut Edit, ban: &mut Ban, reason: String) -> Result<()> {
    ban.lifted = Some(Lift {
        at: edit.now(),
        reason,
        by: StoredActor::from(edit.actor()),
    });
    store::update(edit, ban).await?;
    if ban.kind != BanKind::Ban {
        commands::queue(edit, ban, CommandKind::Unmute).await?;
    }
    Ok(())
}

/// Kicks the player again.
pub async fn kick(edit: &mut Edit, ban: Target<Ban>) -> Result<Change<Ban>> {
    require_active(&ban, edit.core().expiry_now())?;
    require_power_over(edit, &ban.subject.clone()).await?;
    let server_ids = commands::queue(edit, &ban, CommandKind::Kick).await?;
    let what = serde_json::json!({ "server_ids": server_ids });
    let kicked = ban.clone();
    Ok(Change::of_action("kick", &ban, &what, kicked))
}

/// Does what the end of a user means for bans.
pub fn follow<'a>(edit: &'a mut Edit, fact: Fact<'a>) -> BoxFuture<'a, Result<()>> {
    Box::pin(async move {
        match fact {
            Fact::UserErased { user_id } => {
                store::mask_issuer(edit, user_id, MASK).await?;
                detach(edit, user_id).await
            }
            Fact::UserDeleted { user_id } => detach(edit, user_id).await,
            Fact::RoleDeleted { .. }
            | Fact::RoleEndSet { .. }
            | Fact::RolesEnded { .. }
            | Fact::ServerDeleted { .. }
            | Fact::UsersChanged { .. } => Ok(()),
        }
    })
}

/// Removes what a user's bans say about the person. SteamID and reason stay; a ban of the user alone
/// is lifted.
async fn detach(edit: &mut Edit, user_id: i64) -> Result<()> {
    let now = edit.core().expiry_now();
    loop {
        let ids = store::of_user(edit, user_id, BATCH).await?;
        let mut entries: Vec<Entry> = Vec::new();
        for ban in locked(edit, &ids).await? {
            entries.extend(detach_one(edit, ban, now).await?);
        }
        if entries.is_empty() {
            return Ok(());
        }
        edit.record_as_system(&entries).await?;
    }
}

async fn detach_one(edit: &mut Edit, before: Ban, now: Timestamp) -> Result<Vec<Entry>> {
    let before = edit.part(Some(before))?;
    let mut ban = before.clone();
    ban.subject.user_id = None;
    ban.player_name = String::new();
    ban.note = String::new();
    ban.evidence = Vec::new();
    let is_lifted = ban.subject.is_empty() && ban.is_active(now);
    match is_lifted {
        true => end_now(edit, &mut ban, USER_GONE.to_owned()).await?,
        false => store::update(edit, &ban).await?,
    }
    let verb = if is_lifted { "lift" } else { "update" };
    // Without the old values, which are about the person.
    let change = Change::of_part(verb, &before, &Nothing {}, &Nothing {}, ());
    Ok(change.about_user(None).into_entries())
}

/// The fields in the audit entry of a ban whose user was deleted or erased.
#[derive(serde::Serialize)]
struct Nothing {}
