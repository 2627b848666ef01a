use super::dice::Dice;
use super::names::Names;
use super::rhythm::Rhythm;
use super::roles::Roles;
use super::words::{BLOCK_REASONS, DEVICES};
use super::{BATCH, COMMUNITY_DAYS, DAY, Part, Plan};
use kernel::secret::Secret;
use kernel::types::Timestamp;
use server::users::devices::Device;
use server::users::{ACTIVE, BLOCKED, Block, Member, PastBlock, SocialLink, User};

/// How often somebody buys, compared to others, with how many of a hundred do so.
const APPETITES: &[(u64, u64)] = &[(40, 1), (25, 3), (18, 8), (10, 20), (5, 45), (2, 120)];

/// Networks by id, for which a handle is enough. Website is not among them: it takes an address.
const NETWORKS: &[(u64, (i64, &str))] = &[
    (45, (1, "steam")),
    (35, (2, "discord")),
    (10, (6, "twitch")),
    (6, (5, "youtube")),
    (4, (4, "telegram")),
];
const WEBSITE: (i64, &str) = (12, "website");

/// The people of the community, as they join.
pub struct People {
    dice: Dice,
    rhythm: Rhythm,
    names: Names,
    roles: Roles,
    password_hash: Secret<String>,
    opened: Timestamp,
    end: Timestamp,
    first_id: i64,
    joined: u64,
    total: u64,
    crowd: Crowd,
}

impl People {
    pub fn new(plan: &Plan, roles: Roles, password_hash: Secret<String>, first_id: i64) -> Self {
        let opened = plan.days_before_end(COMMUNITY_DAYS);
        let total = plan.users.into();
        Self {
            dice: plan.dice(Part::Users),
            rhythm: Rhythm::new(opened, COMMUNITY_DAYS, total),
            names: Names::default(),
            roles,
            password_hash,
            opened,
            end: plan.end(),
            first_id,
            joined: 0,
            total,
            crowd: Crowd::new(first_id),
        }
    }

    /// Those who join next; `None` when everybody has.
    pub fn next_batch(&mut self) -> Option<Vec<Member>> {
        let count = BATCH.min(self.total - self.joined);
        (count > 0).then(|| (0..count).map(|_| self.next_member()).collect())
    }

    /// All those who have joined, on their way to the shop.
    pub fn into_crowd(self) -> Crowd {
        self.crowd
    }

    fn next_member(&mut self) -> Member {
        let is_founder = self.joined == 0;
        let dice = &mut self.dice;
        let created_at = if is_founder {
            self.opened
        } else {
            self.rhythm.moment(self.joined, dice)
        };
        let (status, blocks) = if is_founder {
            (ACTIVE, Vec::new())
        } else {
            standing(dice, created_at, self.end)
        };
        let appetite = match status {
            ACTIVE => *dice.pick_weighted(APPETITES) * 4,
            "pending" => 0,
            _ => 1,
        };
        self.crowd.join(created_at, appetite);

        let username = self.names.username(dice);
        let user = User {
            id: self.first_id + self.joined.cast_signed(),
            email: self.names.email(dice, &username),
            status: status.to_owned(),
            block: None,
            roles: match status {
                _ if is_founder => self.roles.of_founder(),
                "pending" => Vec::new(),
                _ => self.roles.of_somebody(dice),
            },
            social_networks: social_links(dice, &username),
            devices: devices(dice, created_at, self.end),
            part_changes: 0,
            password_hash: self.password_hash.clone(),
            created_at,
            updated_at: if dice.chance(40) {
                created_at
            } else {
                moment_between(dice, created_at, self.end)
            },
            username,
        };
        self.joined += 1;
        Member { user, blocks }
    }
}

/// A moment of the period, without its end.
fn moment_between(dice: &mut Dice, from: Timestamp, end: Timestamp) -> Timestamp {
    let last = (end.unix() - 1).max(from.unix());
    Timestamp::from_unix(dice.between(from.unix(), last))
}

/// How somebody stands with the community, and the blocks they have had.
fn standing(dice: &mut Dice, joined: Timestamp, end: Timestamp) -> (&'static str, Vec<PastBlock>) {
    match dice.below(100) {
        0..=85 => (ACTIVE, past_blocks(dice, joined, end)),
        86..=91 => ("inactive", Vec::new()),
        92..=95 => ("pending", Vec::new()),
        _ => (BLOCKED, vec![open_block(dice, joined, end)]),
    }
}

/// Few have been blocked and are no longer.
fn past_blocks(dice: &mut Dice, joined: Timestamp, end: Timestamp) -> Vec<PastBlock> {
    if !dice.chance(2) {
        return Vec::new();
    }
    let blocked_at = moment_between(dice, joined, end);
    let lifted_at = moment_between(dice, blocked_at, end);
    vec![PastBlock {
        lifted_at: Some(lifted_at),
        ..block(dice, blocked_at, None)
    }]
}

/// One that nobody has lifted: for good, for a while to come, or run out by itself.
fn open_block(dice: &mut Dice, joined: Timestamp, end: Timestamp) -> PastBlock {
    let blocked_at = moment_between(dice, joined, end);
    let until = match dice.below(10) {
        0..=3 => None,
        4..=6 => Some(Timestamp::from_unix(
            end.unix() + dice.between(30, 720) * DAY,
        )),
        _ => Some(moment_between(dice, blocked_at, end)),
    };
    block(dice, blocked_at, until)
}

fn block(dice: &mut Dice, blocked_at: Timestamp, until: Option<Timestamp>) -> PastBlock {
    PastBlock {
        id: 0,
        terms: Block {
            reason: (*dice.pick(BLOCK_REASONS)).to_owned(),
            until,
        },
        blocked_at,
        lifted_at: None,
        key_id: None,
        key_name: "command line".to_owned(),
    }
}

fn social_links(dice: &mut Dice, username: &str) -> Vec<SocialLink> {
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
        if dice.chance(share) {
            add(*dice.pick_weighted(NETWORKS), username.to_owned());
        }
    }
    if dice.chance(2) {
        add(
            WEBSITE,
            format!("https://www.example.net/~{}", dice.letters(8)),
        );
    }
    links
}

fn devices(dice: &mut Dice, joined: Timestamp, end: Timestamp) -> Vec<Device> {
    let count = *dice.pick_weighted(&[(55, 0), (30, 1), (11, 2), (4, 3)]);
    let device = |_| {
        let (name, user_agent) = dice.pick(DEVICES);
        Device {
            id: 0,
            name: (*name).to_owned(),
            user_agent: (*user_agent).to_owned(),
            last_active: moment_between(dice, joined, end),
        }
    };
    (0..count).map(device).collect()
}

/// Those who may buy something, each as often as they are inclined to.
#[derive(Debug)]
pub struct Crowd {
    first_id: i64,
    joined: Vec<i64>,
    /// For each the sum of all appetites up to theirs.
    appetites: Vec<u64>,
    present: usize,
}

impl Crowd {
    fn new(first_id: i64) -> Self {
        Self {
            first_id,
            joined: Vec::new(),
            appetites: Vec::new(),
            present: 0,
        }
    }

    fn join(&mut self, at: Timestamp, appetite: u64) {
        let before = self.appetites.last().copied().unwrap_or_default();
        self.joined.push(at.unix());
        self.appetites.push(before + appetite);
    }

    /// Somebody who has joined by `now`, which never goes back.
    pub fn buyer(&mut self, dice: &mut Dice, now: Timestamp) -> i64 {
        while self
            .joined
            .get(self.present)
            .is_some_and(|at| *at <= now.unix())
        {
            self.present += 1;
        }
        let present = &self.appetites[..self.present];
        let drawn = dice.below(present.last().copied().unwrap_or_default());
        let buyer = present.partition_point(|sum| *sum <= drawn);
        self.first_id + buyer as i64
    }
}
