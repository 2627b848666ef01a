//! The users of the community: names, status, roles, devices, and how often they buy.

use super::event_times::EventTimes;
use super::names::Names;
use super::rng::Rng;
use super::roles::Roles;
use super::words::{BLOCK_REASONS, DEVICES};
use super::{BATCH, COMMUNITY_DAYS, Part, Plan};
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::types::time::DAY;
use server::users::devices::Device;
use server::users::{ACTIVE, BLOCKED, Block, Member, PastBlock, SocialLink, User};

/// How often users buy, relative to others: percentage of users, weight.
const BUYING_WEIGHTS: &[(u64, u64)] = &[(40, 1), (25, 3), (18, 8), (10, 20), (5, 45), (2, 120)];

/// Social networks with their shares, ids and names. They take a handle; a website takes a URL.
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
        let social_networks = social_links(rng, &username);
        let devices = devices(rng, created_at, self.end);
        let user = User {
            id: self.first_id + self.joined.cast_signed(),
            email,
            status: status.to_owned(),
            block: None,
            roles,
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
        blocked_at,
        lifted_at: None,
        key_id: None,
        key_name: "command line".to_owned(),
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
            add(*rng.pick_weighted(NETWORKS), username.to_owned());
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
    /// How many users have joined by the time of the last purchase.
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
