//! The users of the community: names, status, roles, devices, and how often they buy.

use super::catalogue::SUPPORTER;
use super::event_times::EventTimes;
use super::names::Names;
use super::plan::{BATCH, COMMUNITY_DAYS, Part, Plan};
use super::rng::Rng;
use super::roles::Roles;
use super::words::{BLOCK_REASONS, DEVICES};
use accounts::roles::held::{PastRole, Source};
use accounts::users::devices::Device;
use accounts::users::{ACTIVE, BLOCKED, Block, HeldRole, Member, PastBlock, SocialLink, User};
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::types::time::DAY;
use platform::audit::events::StoredActor;

/// How often users buy, relative to each other: percentage of users, weight.
const BUYING_WEIGHTS: &[(u64, u64)] = &[(40, 1), (25, 3), (18, 8), (10, 20), (5, 45), (2, 120)];

/// The SteamID64 before that of the first account.
const FIRST_STEAM_ID: i64 = 76_561_197_960_265_728;

/// Social networks with their shares, ids and names.
const NETWORKS: &[(u64, (i64, &str))] = &[
    (45, (1, "steam")),
    (35, (2, "discord")),
    (10, (6, "twitch")),
    (6, (5, "youtube")),
    (4, (4, "telegram")),
];
const WEBSITE: (i64, &str) = (12, "website");

/// Generates the users in the order in which they join.
pub struct People {
    rng: Rng,
    /// Of its own, for when roles were given and until when.
    role_rng: Rng,
    event_times: EventTimes,
    names: Names,
    roles: Roles,
    password_hash: Secret<String>,
    opened: Timestamp,
    end: Timestamp,
    first_id: i64,
    joined: u64,
    total: u64,
    buyers: Buyers,
}

impl People {
    pub fn new(plan: &Plan, roles: Roles, password_hash: Secret<String>, first_id: i64) -> Self {
        let opened = plan.days_before_end(COMMUNITY_DAYS);
        let total = plan.users.into();
        Self {
            rng: plan.rng(Part::Users),
            role_rng: plan.rng(Part::UserRoles),
            event_times: EventTimes::new(opened, COMMUNITY_DAYS, total),
            names: Names::default(),
            roles,
            password_hash,
            opened,
            end: plan.end(),
            first_id,
            joined: 0,
            total,
            buyers: Buyers::new(first_id),
        }
    }

    /// The next users; `None` when all have joined.
    pub fn next_batch(&mut self) -> Option<Vec<Member>> {
        let count = BATCH.min(self.total - self.joined);
        (count > 0).then(|| (0..count).map(|_| self.next_member()).collect())
    }

    /// The users as buyers.
    pub fn into_buyers(self) -> Buyers {
        self.buyers
    }

    fn next_member(&mut self) -> Member {
        let is_founder = self.joined == 0;
        let rng = &mut self.rng;
        let created_at = if is_founder {
            self.opened
        } else {
            self.event_times.moment(self.joined, rng)
        };
        let (status, blocks) = if is_founder {
            (ACTIVE, Vec::new())
        } else {
            status_and_blocks(rng, created_at, self.end)
        };
        let weight = match status {
            ACTIVE => *rng.pick_weighted(BUYING_WEIGHTS) * 4,
            "pending" => 0,
            _ => 1,
        };
        self.buyers.join(created_at, weight);

        let username = self.names.username(rng);
        let email = self.names.email(rng, &username);
        let roles = match status {
            _ if is_founder => self.roles.of_founder(),
            "pending" => Vec::new(),
            _ => self.roles.of_member(rng),
        };
        let role_rng = &mut self.role_rng;
        let roles = role_history(role_rng, roles, created_at, self.end);
        let social_networks = social_links(rng, &username);
        let devices = devices(rng, created_at, self.end);
        let user = User {
            id: self.first_id + self.joined.cast_signed(),
            email,
            status: status.to_owned(),
            block: None,
            roles: Vec::new(),
            part_changes: 0,
            password_hash: self.password_hash.clone(),
            created_at,
            updated_at: if rng.chance(40) {
                created_at
            } else {
                moment_between(rng, created_at, self.end)
            },
            username,
        };
        self.joined += 1;
        Member {
            user,
            roles,
            blocks,
            social_networks,
            devices,
        }
    }
}

/// A random moment from `from` up to, but not including, `end`.
fn moment_between(rng: &mut Rng, from: Timestamp, end: Timestamp) -> Timestamp {
    let last = (end.unix() - 1).max(from.unix());
    Timestamp::from_unix(rng.between(from.unix(), last))
}

/// When a user was given these roles, and until when. A role for supporters has an end, and most
/// have held it before; all other roles have none.
fn role_history(
    rng: &mut Rng,
    roles: Vec<HeldRole>,
    joined: Timestamp,
    end: Timestamp,
) -> Vec<PastRole> {
    let mut history = Vec::new();
    for role in roles {
        let mut given = PastRole {
            id: 0,
            role_id: role.id,
            role_name: role.name,
            granted_at: moment_between(rng, joined, end),
            expires_at: None,
            ended_at: None,
            ended_by: None,
            source: Source::Api,
        };
        if given.role_name == SUPPORTER {
            if rng.chance(60) {
                let until = moment_between(rng, given.granted_at, end);
                history.push(PastRole {
                    expires_at: Some(until),
                    ended_at: Some(until),
                    ended_by: Some("expired".to_owned()),
                    ..given.clone()
                });
                given.granted_at = until;
            }
            let until = end.unix() + rng.between(1, 90) * DAY;
            given.expires_at = Some(Timestamp::from_unix(until));
        }
        history.push(given);
    }
    history
}

/// The status of a user and their blocks, past and present.
fn status_and_blocks(
    rng: &mut Rng,
    joined: Timestamp,
    end: Timestamp,
) -> (&'static str, Vec<PastBlock>) {
    match rng.below(100) {
        0..=85 => (ACTIVE, past_blocks(rng, joined, end)),
        86..=91 => ("inactive", Vec::new()),
        92..=95 => ("pending", Vec::new()),
        _ => (BLOCKED, vec![open_block(rng, joined, end)]),
    }
}

/// Lifted blocks, which few users have.
fn past_blocks(rng: &mut Rng, joined: Timestamp, end: Timestamp) -> Vec<PastBlock> {
    if !rng.chance(2) {
        return Vec::new();
    }
    let blocked_at = moment_between(rng, joined, end);
    let lifted_at = moment_between(rng, blocked_at, end);
    vec![PastBlock {
        lifted_at: Some(lifted_at),
        ..block(rng, blocked_at, None)
    }]
}

/// A block that was not lifted: without an end, with an end in the future, or expired.
fn open_block(rng: &mut Rng, joined: Timestamp, end: Timestamp) -> PastBlock {
    let blocked_at = moment_between(rng, joined, end);
    let until = match rng.below(10) {
        0..=3 => None,
        4..=6 => Some(Timestamp::from_unix(
            end.unix() + rng.between(30, 720) * DAY,
        )),
        _ => Some(moment_between(rng, blocked_at, end)),
    };
    block(rng, blocked_at, until)
}

fn block(rng: &mut Rng, blocked_at: Timestamp, until: Option<Timestamp>) -> PastBlock {
    PastBlock {
        id: 0,
        terms: Block {
            reason: (*rng.pick(BLOCK_REASONS)).to_owned(),
            until,
        },
        at: blocked_at,
        lifted_at: None,
        by: StoredActor {
            key_id: None,
            user_id: None,
            name: "command line".to_owned(),
        },
    }
}

fn social_links(rng: &mut Rng, username: &str) -> Vec<SocialLink> {
    let mut links: Vec<SocialLink> = Vec::new();
    let mut add = |(network_id, network): (i64, &str), profile_url: String| {
        if links.iter().all(|link| link.network_id != network_id) {
            links.push(SocialLink {
                id: 0,
                network: network.to_owned(),
                profile_url,
                network_id,
            });
        }
    };
    for share in [30, 12] {
        if rng.chance(share) {
            let network = *rng.pick_weighted(NETWORKS);
            add(network, profile(rng, network.1, username));
        }
    }
    if rng.chance(2) {
        add(
            WEBSITE,
            format!("https://www.example.net/~{}", rng.letters(8)),
        );
    }
    links
}

/// The profile that a link stores: an id on Steam and Discord, a handle on other networks.
fn profile(rng: &mut Rng, network: &str, username: &str) -> String {
    match network {
        "steam" => (FIRST_STEAM_ID + rng.between(1, 1_500_000_000)).to_string(),
        "discord" => rng
            .between(100_000_000_000_000_000, 1_200_000_000_000_000_000)
            .to_string(),
        _ => username.to_owned(),
    }
}

fn devices(rng: &mut Rng, joined: Timestamp, end: Timestamp) -> Vec<Device> {
    let count = *rng.pick_weighted(&[(55, 0), (30, 1), (11, 2), (4, 3)]);
    let device = |_| {
        let (name, user_agent) = rng.pick(DEVICES);
        Device {
            id: 0,
            name: (*name).to_owned(),
            user_agent: (*user_agent).to_owned(),
            last_active: moment_between(rng, joined, end),
        }
    };
    (0..count).map(device).collect()
}

/// The users who may buy, each with a weight.
#[derive(Debug)]
pub struct Buyers {
    first_id: i64,
    joined: Vec<i64>,
    /// The cumulative weights, in the order in which users joined.
    weights: Vec<u64>,
    /// The number of users who have joined by the time of the last purchase.
    present: usize,
}

impl Buyers {
    fn new(first_id: i64) -> Self {
        Self {
            first_id,
            joined: Vec::new(),
            weights: Vec::new(),
            present: 0,
        }
    }

    fn join(&mut self, at: Timestamp, weight: u64) {
        let before = self.weights.last().copied().unwrap_or_default();
        self.joined.push(at.unix());
        self.weights.push(before + weight);
    }

    /// A random user who has joined by `now`. `now` must not decrease between calls.
    pub fn buyer(&mut self, rng: &mut Rng, now: Timestamp) -> i64 {
        while self
            .joined
            .get(self.present)
            .is_some_and(|at| *at <= now.unix())
        {
            self.present += 1;
        }
        let present = &self.weights[..self.present];
        let drawn = rng.below(present.last().copied().unwrap_or_default());
        let buyer = present.partition_point(|sum| *sum <= drawn);
        self.first_id + buyer as i64
    }
}
