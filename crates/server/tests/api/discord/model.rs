//! Random changes of roles, links and blocks while Discord limits, fails and forgets, against a
//! model of who should have what.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::{ANNA, Connected, connected};
use crate::support::Rng;
use crate::support::guild::{SUPPORTER, Trouble, UNMAPPED, VIP};

const MEMBERS: usize = 1_000;
const STEPS: u64 = 600;
const ROUNDS: u64 = 6;

/// One user, as the model knows them.
#[derive(Default)]
struct Person {
    user: i64,
    /// The profile that they sign in with, and its row.
    profile: Option<(i64, i64)>,
    roles: BTreeSet<i64>,
    is_blocked: bool,
}

struct Model {
    people: Vec<Person>,
    /// Profiles that are or were somebody's.
    profiles: BTreeSet<i64>,
}

impl Model {
    /// The mapped roles that each profile should have.
    fn wanted(&self, pairs: &[(i64, i64)]) -> BTreeMap<i64, BTreeSet<i64>> {
        let none = self.profiles.iter().map(|id| (*id, BTreeSet::new()));
        let mut wanted: BTreeMap<i64, BTreeSet<i64>> = none.collect();
        for person in &self.people {
            let Some((profile, _)) = person.profile else {
                continue;
            };
            if person.is_blocked {
                continue;
            }
            let held = pairs.iter().filter(|(role, _)| person.roles.contains(role));
            wanted.insert(profile, held.map(|(_, at_discord)| *at_discord).collect());
        }
        wanted
    }
}

/// Adds users and their profiles in a few statements.
async fn fill(connected: &Connected) -> Model {
    let mut tx = connected
        .app
        .core()
        .db
        .begin()
        .await
        .expect("a transaction");
    let mut people = Vec::new();
    for i in 0..MEMBERS {
        let name = format!("user{i}");
        let user = tx
            .insert(
                "INSERT INTO users (username, username_folded, email, email_folded, password_hash, status,
                                    created_at, updated_at)
                 VALUES ($1, $1, $1, $1, '', 'active', 0, 0) RETURNING id",
                db::params![&name],
            )
            .await
            .expect("a user");
        let profile = ANNA + i as i64;
        let subject = profile.to_string();
        let row = tx
            .insert(
                "INSERT INTO user_identities (user_id, provider, subject, linked_at)
                 VALUES ($1, 'discord', $2, 0) RETURNING id",
                db::params![user, &subject],
            )
            .await
            .expect("a profile");
        connected
            .guild
            .join(profile, if i % 3 == 0 { &[UNMAPPED] } else { &[] });
        people.push(Person {
            user,
            profile: Some((profile, row)),
            ..Person::default()
        });
    }
    tx.commit().await.expect("committed");
    let profiles = people.iter().filter_map(|person| Some(person.profile?.0));
    Model {
        profiles: profiles.collect(),
        people,
    }
}

/// One random change, in the service and in the model.
async fn change(connected: &Connected, model: &mut Model, rng: &mut Rng) {
    let admin = &connected.admin;
    let at = rng.below(model.people.len() as u64) as usize;
    let person = &mut model.people[at];
    let user = person.user;
    let roles = [connected.vip, connected.supporter];
    let role = roles[rng.below(2) as usize];
    match rng.below(10) {
        0..=3 => {
            connected.give(user, role).await;
            person.roles.insert(role);
        }
        4 | 5 if person.roles.contains(&role) => {
            connected.take(user, role).await;
            person.roles.remove(&role);
        }
        6 => {
            admin
                .post_empty(&format!("/api/users/{user}/block"))
                .await
                .ok();
            person.is_blocked = true;
        }
        7 => {
            admin
                .post_empty(&format!("/api/users/{user}/unblock"))
                .await
                .ok();
            person.is_blocked = false;
        }
        8 => {
            if let Some((_, row)) = person.profile {
                // Somebody without a password cannot lose the only profile.
                let sql = "UPDATE users SET password_hash = 'x' WHERE id = $1";
                let mut tx = connected
                    .app
                    .core()
                    .db
                    .begin()
                    .await
                    .expect("a transaction");
                tx.execute(sql, db::params![user]).await.expect("changed");
                tx.commit().await.expect("committed");
                let path = format!("/api/users/{user}/identities/{row}");
                admin.delete(&path).await.ok();
                person.profile = None;
            }
        }
        _ => {
            let path = format!("/api/users/{user}/roles");
            admin.put(&path, json!({ "role_ids": roles })).await.ok();
            person.roles = roles.into();
        }
    }
}

#[service_test]
async fn at_the_end_every_member_has_what_a_model_says_and_other_roles_are_untouched() {
    let connected = connected().await;
    let seed = std::env::var("DISCORD_SEED")
        .ok()
        .and_then(|seed| seed.parse().ok());
    let mut rng = Rng::new(seed.unwrap_or(22));
    let mut model = fill(&connected).await;
    for round in 0..ROUNDS {
        connected.guild.trouble(Trouble {
            fails_each: 11,
            fails_with: 502,
            forgets_each: 13,
            limits_each: 17,
            limits_for: "0.02",
            ..Trouble::default()
        });
        for _ in 0..STEPS / ROUNDS {
            change(&connected, &mut model, &mut rng).await;
            if rng.below(4) == 0 {
                connected.app.visit_members().await;
                connected.app.advance(5);
            }
        }
        // Somebody changes roles by hand.
        let profile = ANNA + rng.below(MEMBERS as u64) as i64;
        connected
            .guild
            .set_roles(profile, &[UNMAPPED, VIP, SUPPORTER]);
        let repair = json!({});
        connected
            .admin
            .post("/api/discord/repair", repair)
            .await
            .expect(202);
        assert!(round < ROUNDS);
    }
    connected.guild.behaves_again();
    // Longer than the longest delay of those that failed a few times.
    for _ in 0..4 {
        connected.app.advance(1_000);
        connected.app.visit_members().await;
    }
    connected.app.advance(20_000);
    connected.app.visit_members().await;

    let pairs = [(connected.vip, VIP), (connected.supporter, SUPPORTER)];
    for (profile, wanted) in model.wanted(&pairs) {
        let roles = connected.guild.roles_of(profile).expect("a member");
        let mapped = roles.iter().filter(|role| [VIP, SUPPORTER].contains(role));
        let mapped: BTreeSet<i64> = mapped.copied().collect();
        assert_eq!(mapped, wanted, "{profile}");
    }
    let changed = connected.guild.changes();
    assert!(
        changed
            .iter()
            .all(|(_, _, role)| [VIP, SUPPORTER].contains(role))
    );
    assert!(connected.guild.limited() > 0, "the limit was met");
    let waiting = "SELECT COUNT(*) FROM discord_members WHERE state IN ('pending', 'failed')";
    assert_eq!(connected.app.number(waiting).await, 0);
}
