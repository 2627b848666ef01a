//! Compares what is stored with what the consoles received.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Display, Formatter};

use db::{Conn, Db};
use serde_json::Value;

use super::Arena;
use super::buyers::{Buyer, ROLE_SECONDS};

/// How often a command was seen, by server and text.
type Counts = BTreeMap<(i64, String), i64>;

/// A step that sends a command.
struct Step {
    grant: i64,
    server: i64,
    state: String,
    attempts: i64,
    repeatable: bool,
    error: Option<String>,
}

impl Step {
    /// The command, as the console receives it.
    fn command(&self) -> (i64, String) {
        let verb = if self.repeatable { "set" } else { "give" };
        (
            self.server,
            format!("{verb} {} {}", self.grant, self.server),
        )
    }

    /// Whether an instance died while it sent the command.
    fn is_lost(&self) -> bool {
        let error = self.error.as_deref().unwrap_or_default();
        self.state == "uncertain" && error.starts_with("The instance that sent the command died.")
    }
}

/// What the consoles received.
pub struct Summary {
    pub grants: usize,
    received: i64,
    /// The fewest and the most commands that one server received.
    fewest: usize,
    most: usize,
    uncertain: usize,
    /// Of these, the ones whose instance was killed.
    lost: usize,
    /// Of these, the ones that were received.
    lost_but_received: usize,
    /// How often a repeatable command was received again.
    repeated: i64,
    /// The commands that must not run twice and were received after a failed attempt.
    retried: usize,
}

impl Display for Summary {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            grants,
            received,
            fewest,
            most,
            uncertain,
            lost,
            lost_but_received,
            repeated,
            retried,
        } = self;
        write!(
            f,
            "{grants} grants, {received} commands received, {fewest} to {most} by a server; \
             {repeated} of them were repeatable ones again, {retried} others came after failed \
             attempts; {uncertain} uncertain, {lost} of them by kills, {lost_but_received} of \
             these received"
        )
    }
}

pub async fn check(db: &Db, arena: &Arena, buyers: &[Buyer], kills: usize) -> Summary {
    let mut read = db.snapshot().await.expect("a reader");
    let grants = check_grants(&mut read, buyers).await;
    check_roles(&mut read, buyers.len()).await;
    let queued = "SELECT COUNT(*) FROM queue WHERE kind = 'commands'";
    let queued: i64 = read
        .query_one(queued, &[], |row| row.get(0))
        .await
        .expect("a number");
    assert_eq!(queued, 0, "what is finished is not queued");

    let steps = steps(&mut read).await;
    assert_eq!(steps.len(), 2 * grants, "two commands of each grant");
    let recorded = recorded(&mut read).await;
    let mut received = received(arena);
    let all_received: i64 = received.values().sum();
    let mut repeated = 0;
    let mut lost_on: BTreeMap<i64, usize> = BTreeMap::new();
    let mut lost_but_received = 0;
    for step in &steps {
        let command = step.command();
        let count = received.remove(&command).unwrap_or(0);
        check_step(step, count);
        let entries = recorded.get(&command).copied().unwrap_or(0);
        assert_eq!(
            entries, step.attempts,
            "an entry for each attempt: {command:?}"
        );
        if step.repeatable {
            repeated += count - 1;
        }
        if step.is_lost() {
            *lost_on.entry(step.server).or_default() += 1;
            lost_but_received += usize::from(count > 0);
        }
    }
    assert_eq!(received, Counts::new(), "commands of no step");
    for (server, lost) in &lost_on {
        assert!(
            *lost <= kills,
            "a server gets one command at a time: {server} {lost}"
        );
    }
    let by_server = arena.servers.iter().map(|server| server.commands().len());
    Summary {
        grants,
        received: all_received,
        fewest: by_server.clone().min().expect("a server"),
        most: by_server.max().expect("a server"),
        uncertain: steps
            .iter()
            .filter(|step| step.state == "uncertain")
            .count(),
        lost: lost_on.values().sum(),
        lost_but_received,
        repeated,
        retried: steps
            .iter()
            .filter(|step| !step.repeatable && step.state == "done" && step.attempts > 1)
            .count(),
    }
}

/// What the state of a step says is what its console saw.
fn check_step(step: &Step, received: i64) {
    let command = step.command();
    let state = step.state.as_str();
    let context = format!("{command:?} {state} {:?}, received {received}", step.error);
    assert!(received <= step.attempts, "{context}");
    match (step.repeatable, state) {
        (true, "done") => assert!(received >= 1, "{context}"),
        (false, "done") => assert_eq!(received, 1, "{context}"),
        // The instance died before the command was sent, or after.
        (false, "uncertain") if step.is_lost() => assert!(received <= 1, "{context}"),
        // The console received it and then went silent. What it did not receive is not uncertain.
        (false, "uncertain") => assert_eq!(received, 1, "{context}"),
        _ => panic!("{context}"),
    }
}

/// Every acknowledged grant is there, every paid invoice has one, and no order has two. Returns how
/// many there are.
async fn check_grants(read: &mut Conn, buyers: &[Buyer]) -> usize {
    let sql = "SELECT id, invoice_id, state,
                      (SELECT COUNT(*) FROM grant_steps s
                       WHERE s.grant_id = g.id AND s.state <> 'done')
               FROM grants g";
    let grants: Vec<(i64, Option<i64>, String, i64)> = read
        .query(sql, &[], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })
        .await
        .expect("grants");
    let given: BTreeSet<i64> = grants
        .iter()
        .filter(|(_, invoice, ..)| invoice.is_none())
        .map(|(id, ..)| *id)
        .collect();
    let mut paid: Vec<i64> = grants.iter().filter_map(|grant| grant.1).collect();
    paid.sort_unstable();
    // The last order of each buyer was answered, so nothing else may be there.
    let acknowledged: BTreeSet<i64> = buyers
        .iter()
        .flat_map(|buyer| &buyer.given)
        .copied()
        .collect();
    assert_eq!(given, acknowledged);
    let acknowledged: BTreeSet<i64> = buyers
        .iter()
        .flat_map(|buyer| &buyer.paid)
        .copied()
        .collect();
    assert_eq!(paid, acknowledged.into_iter().collect::<Vec<_>>());
    let orders: usize = buyers.iter().map(|buyer| buyer.orders).sum();
    assert_eq!(grants.len(), orders);
    for (id, _, state, not_done) in &grants {
        let expected = if *not_done == 0 { "done" } else { "attention" };
        assert_eq!(state, expected, "grant {id}");
    }
    grants.len()
}

/// Role time adds up exactly, whatever happened in between.
async fn check_roles(read: &mut Conn, users: usize) {
    let sql = "SELECT h.expires_at - h.granted_at,
                      (SELECT COUNT(*) FROM grants g WHERE g.user_id = h.user_id)
               FROM user_role_history h JOIN user_roles r
                 ON r.user_id = h.user_id AND r.role_id = h.role_id
                AND r.expires_at = h.expires_at";
    let held: Vec<(i64, i64)> = read
        .query(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))
        .await
        .expect("roles");
    assert_eq!(held.len(), users);
    for (seconds, grants) in held {
        assert_eq!(seconds, grants * ROLE_SECONDS);
    }
}

async fn steps(read: &mut Conn) -> Vec<Step> {
    let sql = "SELECT grant_id, server_id, state, attempts, repeatable, error
               FROM grant_steps WHERE kind = 'rcon'";
    let steps = read.query(sql, &[], |row| {
        Ok(Step {
            grant: row.get(0)?,
            server: row.get(1)?,
            state: row.get(2)?,
            attempts: row.get(3)?,
            repeatable: row.get(4)?,
            error: row.get(5)?,
        })
    });
    steps.await.expect("steps")
}

/// The commands in the audit log.
async fn recorded(read: &mut Conn) -> Counts {
    let sql = "SELECT resource_id, after FROM audit_log WHERE action = 'servers.rcon'";
    let entries: Vec<(i64, String)> = read
        .query(sql, &[], |row| Ok((row.get(0)?, row.get(1)?)))
        .await
        .expect("entries");
    let mut counts = Counts::new();
    for (server, after) in entries {
        let after: Value = serde_json::from_str(&after).expect("JSON");
        let command = after["command"].as_str().expect("text").to_owned();
        *counts.entry((server, command)).or_default() += 1;
    }
    counts
}

fn received(arena: &Arena) -> Counts {
    let mut counts = Counts::new();
    for (server, id) in arena.servers.iter().zip(&arena.ids) {
        for command in server.commands() {
            *counts.entry((*id, command)).or_default() += 1;
        }
    }
    counts
}
