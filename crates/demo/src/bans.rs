//! Bans and mutes of the last months: active, expired and lifted.

use super::plan::{Part, Plan};
use super::rng::Rng;
use super::words::{BAN_REASONS, GAG_REASONS, LIFT_REASONS, MUTE_REASONS, SILENCE_REASONS};
use accounts::users::{ACTIVE, Member};
use db::Progress;
use kernel::Result;
use kernel::types::time::{DAY, HOUR};
use kernel::types::{Expiry, SteamId, Timestamp};
use kernel::write::Edit;
use moderation::bans::{self, Ban, BanKind, IpRange, Lift, Subject};
use platform::audit::events::StoredActor;

/// How many bans there are, over how many days.
const BANS: i64 = 60;
const DAYS: i64 = 90;
/// Accounts that belong to no user of the demo.
const FIRST_ACCOUNT: u64 = 900_000_000;
const ACCOUNTS: u64 = 1_000_000;
/// How many of the first users issue bans, and how many of the others with a Steam profile may be
/// banned.
const MODERATORS: usize = 3;
const MAY_BE_BANNED: usize = 20;
/// The percentage of bans of users, and of those the percentage that name the SteamID alone.
const OF_USERS: u64 = 30;
const BY_STEAM_ID: u64 = 50;
const PLAYERS: &[&str] = &[
    "xX_Sniper_Xx",
    "wallhax",
    "Bunny",
    "n00bslayer",
    "Ghost",
    "Kowalski",
    "potato",
    "Rex",
    "Luna",
];
/// In seconds; 0 is no end.
const LENGTHS: &[(u64, i64)] = &[
    (30, HOUR),
    (30, DAY),
    (25, 7 * DAY),
    (20, 30 * DAY),
    (15, 0),
];
const KINDS: &[(u64, BanKind)] = &[
    (60, BanKind::Ban),
    (18, BanKind::Mute),
    (14, BanKind::Gag),
    (8, BanKind::Silence),
];

/// The users who issue bans, and those who may be banned.
#[derive(Default)]
pub struct Known {
    moderators: Vec<StoredActor>,
    players: Vec<Player>,
}

struct Player {
    user_id: i64,
    name: String,
    steam_id: SteamId,
    joined: Timestamp,
}

impl Known {
    /// Meets users in the order in which they join.
    pub fn meet(&mut self, members: &[Member]) {
        for Member {
            user,
            social_networks,
            ..
        } in members
        {
            if self.moderators.len() < MODERATORS && user.status == ACTIVE {
                self.moderators.push(StoredActor {
                    key_id: None,
                    user_id: Some(user.id),
                    name: user.username.clone(),
                });
                continue;
            }
            if self.players.len() == MAY_BE_BANNED {
                return;
            }
            let link = social_networks.iter().find(|link| link.network == "steam");
            if let Some(steam_id) = link.and_then(|link| SteamId::parse(&link.profile_url)) {
                self.players.push(Player {
                    user_id: user.id,
                    name: user.username.clone(),
                    steam_id,
                    joined: user.created_at,
                });
            }
        }
    }

    fn moderator(&self, rng: &mut Rng) -> StoredActor {
        match &self.moderators[..] {
            [] => StoredActor {
                key_id: None,
                user_id: None,
                name: "command line".to_owned(),
            },
            some => rng.pick(some).clone(),
        }
    }

    /// Who is banned, and the name in the game: some are users who had joined by then.
    fn player(&self, rng: &mut Rng, at: Timestamp) -> (Option<SteamId>, Option<i64>, String) {
        let known = match &self.players[..] {
            [] => None,
            some => Some(rng.pick(some)),
        };
        let known = known.filter(|player| player.joined < at);
        match known.filter(|_| rng.chance(OF_USERS)) {
            Some(player) => {
                let user_id = (!rng.chance(BY_STEAM_ID)).then_some(player.user_id);
                (Some(player.steam_id), user_id, player.name.clone())
            }
            None => {
                let account = FIRST_ACCOUNT + rng.below(ACCOUNTS);
                let name = (*rng.pick(PLAYERS)).to_owned();
                (SteamId::of_account(account), None, name)
            }
        }
    }
}

fn reasons(kind: BanKind) -> &'static [&'static str] {
    match kind {
        BanKind::Ban => BAN_REASONS,
        BanKind::Mute => MUTE_REASONS,
        BanKind::Gag => GAG_REASONS,
        BanKind::Silence => SILENCE_REASONS,
    }
}

pub async fn make(
    edit: &mut Edit,
    plan: &Plan,
    server_ids: &[i64],
    known: &Known,
    progress: &mut impl Progress,
) -> Result<()> {
    progress.begin("bans", BANS.unsigned_abs());
    let mut rng = plan.rng(Part::Bans);
    let drawn: Vec<Ban> = (0..BANS)
        .map(|number| ban(plan, number, server_ids, known, &mut rng))
        .collect();
    bans::load(edit, &drawn).await?;
    progress.advance(BANS.unsigned_abs());
    Ok(())
}

fn ban(plan: &Plan, number: i64, server_ids: &[i64], known: &Known, rng: &mut Rng) -> Ban {
    let age = DAYS * DAY * (BANS - number) / BANS - rng.between(0, DAY);
    let created_at = Timestamp::from_unix(plan.end().unix() - age.max(HOUR));
    let length = *rng.pick_weighted(LENGTHS);
    let end = (length > 0).then(|| Timestamp::from_unix(created_at.unix() + length));
    let (steam_id, user_id, player_name) = known.player(rng, created_at);
    // An address of a network for documentation: nobody has it.
    let address = rng
        .chance(15)
        .then(|| format!("203.0.113.{}", rng.below(256)));
    let issued_by = known.moderator(rng);
    let lifted = rng.chance(12).then(|| Lift {
        at: Timestamp::from_unix(created_at.unix() + (age / 2).min(HOUR / 2)),
        reason: (*rng.pick(LIFT_REASONS)).to_owned(),
        by: known.moderator(rng),
    });
    let is_local = rng.chance(20);
    let server_ids = server_ids.first().filter(|_| is_local);
    let kind = *rng.pick_weighted(KINDS);
    Ban {
        id: 0,
        kind,
        subject: Subject {
            steam_id,
            ip_range: address.and_then(|address| IpRange::parse(&address)),
            user_id,
        },
        player_name,
        server_ids: server_ids.copied().into_iter().collect(),
        reason: (*rng.pick(reasons(kind))).to_owned(),
        note: String::new(),
        evidence: Vec::new(),
        created_at,
        expires_at: Expiry::at(end),
        issued_by,
        lifted,
        source: None,
    }
}
