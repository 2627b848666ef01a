//! SQL of grants and their steps.

use std::collections::HashMap;

use db::{Conn, Result, Row, Select, Tx, params};
use serde_json::value::RawValue;

use super::{Grant, GrantFilters, GrantState, GrantStep, Period, Recipient, StepKind, StepState};
use kernel::list::Window;
use kernel::types::{Expiry, SteamId, Timestamp};

/// The columns that [`grant`] reads.
const SELECT: &str = "
    SELECT id, product_id, product_name, user_id, invoice_id, server_id, state, reason, username,
           steam_account, discord_id, created_at, finished_at, revoked_at
    FROM grants";

/// The columns that [`step`] reads.
macro_rules! select_steps {
    ($rest:literal) => {
        concat!(
            "SELECT s.grant_id, s.id, s.kind, s.server_id, s.state, s.role_id, s.seconds,
                    s.command, s.undo_command, s.repeatable, s.payload, s.undoing, s.cancelling,
                    s.attempts, s.queued_at, q.next_attempt_at, s.error, s.reply, s.done_at,
                    s.period_from, s.period_until, s.previous_end, s.role_ended
             FROM grant_steps s
             LEFT JOIN queue q
               ON q.kind = 'commands' AND q.line = s.server_id AND q.item = s.id AND s.kind = 'rcon' ",
            $rest
        )
    };
}

fn filtered<'a>(select: &str, filters: &'a GrantFilters) -> Select<'a> {
    // A user and an invoice have few grants; a product, a server and a state can have all.
    let is_of_few = filters.user_id.is_some() || filters.invoice_id.is_some();
    let is_of_some = filters.product_id.is_some() || filters.server_id.is_some();
    let is_done = filters.state == Some(GrantState::Done);
    let select = Select::new(select)
        .and("user_id = ", filters.user_id.map(|id| id.0))
        .and("invoice_id = ", filters.invoice_id.map(|id| id.0))
        .without_index(is_of_few)
        .and("product_id = ", filters.product_id.map(|id| id.0))
        .and("server_id = ", filters.server_id.map(|id| id.0));
    let select = match filters.state {
        // The condition of the indexes of grants that are not done, by product and by server.
        Some(_) if !is_done => select.without_index(false).and_raw("state <> 'done'"),
        _ => select,
    };
    // Most grants are done.
    select
        .without_index(is_of_few || is_of_some && is_done)
        .and("state = ", filters.state.map(GrantState::as_str))
        .without_index(false)
}

pub async fn list(conn: &mut Conn, filters: &GrantFilters, window: Window) -> Result<Vec<Grant>> {
    let (sql, params) = filtered(SELECT, filters)
        .and("id < ", window.after_id())
        .push(" ORDER BY id DESC LIMIT ", window.limit)
        .build();
    let grants = conn.query(sql, &params, grant).await?;
    with_steps(conn, grants).await
}

/// Counts the grants, up to `limit`.
pub async fn count(conn: &mut Conn, filters: &GrantFilters, limit: i64) -> Result<i64> {
    let (sql, params) = filtered("SELECT COUNT(*) FROM (SELECT 1 FROM grants", filters)
        .push(" LIMIT ", limit)
        .end_where(") AS counted")
        .build();
    conn.query_one(sql, &params, |row| row.get(0)).await
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<Grant>> {
    let (sql, params) = Select::new(SELECT).and("id = ", Some(id)).build();
    let grants = conn.query(sql, &params, grant).await?;
    Ok(with_steps(conn, grants).await?.pop())
}

/// The grants with these ids, oldest first.
pub async fn find_many(conn: &mut Conn, ids: &[i64]) -> Result<Vec<Grant>> {
    let (sql, params) = Select::new(SELECT)
        .and_in("id = ANY(", Some(ids), ")")
        .end_where(" ORDER BY id")
        .build();
    let grants = conn.query(sql, &params, grant).await?;
    with_steps(conn, grants).await
}

/// The user of a grant.
pub async fn user_id(conn: &mut Conn, id: i64) -> Result<Option<i64>> {
    let sql = "SELECT user_id FROM grants WHERE id = $1";
    conn.query_opt(sql, params![id], |row| row.get(0)).await
}

/// The grant of a step.
pub async fn grant_of_step(conn: &mut Conn, step_id: i64) -> Result<Option<i64>> {
    let sql = "SELECT grant_id FROM grant_steps WHERE id = $1";
    conn.query_opt(sql, params![step_id], |row| row.get(0))
        .await
}

/// The last grant of each of these invoices, with its state.
pub async fn of_invoices(conn: &mut Conn, ids: &[i64]) -> Result<Vec<(i64, i64, GrantState)>> {
    conn.query(
        "SELECT invoice_id, id, state FROM grants WHERE invoice_id = ANY($1) ORDER BY id",
        params![ids],
        |row| Ok((row.get(0)?, row.get(1)?, state(&row.get::<String>(2)?)?)),
    )
    .await
}

/// The grant of an invoice that is not revoked.
pub async fn live_of_invoice(conn: &mut Conn, invoice_id: i64) -> Result<Option<i64>> {
    conn.query_opt(
        "SELECT id FROM grants WHERE invoice_id = $1 AND revoked_at IS NULL",
        params![invoice_id],
        |row| row.get(0),
    )
    .await
}

/// The ids of a user's grants, oldest first.
pub async fn of_user(conn: &mut Conn, user_id: i64) -> Result<Vec<i64>> {
    conn.query(
        "SELECT id FROM grants WHERE user_id = $1 ORDER BY id",
        params![user_id],
        |row| row.get(0),
    )
    .await
}

/// Grants with open steps on a server, oldest first.
pub async fn open_on(conn: &mut Conn, server_id: i64) -> Result<Vec<i64>> {
    conn.query(
        "SELECT DISTINCT grant_id FROM grant_steps
         WHERE server_id = $1 AND state IN ('pending', 'sending') ORDER BY grant_id",
        params![server_id],
        |row| row.get(0),
    )
    .await
}

/// A grant that has given a role which the user still holds.
pub struct Holding {
    pub grant_id: i64,
    pub user_id: i64,
    pub product_id: i64,
}

/// The grants that gave a role which has not ended since, oldest first: of some users, or of all.
pub async fn holding(
    conn: &mut Conn,
    role_id: i64,
    user_ids: Option<&[i64]>,
) -> Result<Vec<Holding>> {
    // SQLite reads the first table first. Users have few grants; a role can have those of everyone.
    let (sql, params) = Select::new(match user_ids {
        Some(_) => "SELECT g.id, g.user_id, g.product_id FROM grants g CROSS JOIN grant_steps s",
        None => "SELECT g.id, g.user_id, g.product_id FROM grant_steps s CROSS JOIN grants g",
    })
    .and_raw("s.grant_id = g.id")
    .and("s.role_id = ", Some(role_id))
    .and_raw("s.kind = 'role' AND s.state = 'done' AND NOT s.role_ended")
    .and_in("g.user_id = ANY(", user_ids, ")")
    .end_where(" ORDER BY g.id")
    .build();
    conn.query(sql, &params, |row| {
        Ok(Holding {
            grant_id: row.get(0)?,
            user_id: row.get(1)?,
            product_id: row.get(2)?,
        })
    })
    .await
}

/// The role steps of a user's grants that added time to a role which has not ended since, in the
/// order in which they were carried out.
pub async fn role_steps(conn: &mut Conn, user_id: i64, role_id: i64) -> Result<Vec<GrantStep>> {
    let sql = select_steps!(
        "WHERE s.grant_id IN (SELECT id FROM grants WHERE user_id = $1) AND s.role_id = $2 AND s.kind = 'role' AND s.state = 'done'
           AND NOT s.role_ended
         ORDER BY s.done_at, s.id"
    );
    let steps = conn.query(sql, params![user_id, role_id], step).await?;
    Ok(steps.into_iter().map(|(_, step)| step).collect())
}

/// The pending plugin steps of a server with their grants, oldest first.
pub async fn deliveries(
    conn: &mut Conn,
    server_id: i64,
    steam_id: Option<SteamId>,
    limit: i64,
) -> Result<Vec<(i64, i64)>> {
    let (sql, params) = Select::new(
        "SELECT s.grant_id, s.id FROM grant_steps s JOIN grants g ON g.id = s.grant_id",
    )
    .and("s.server_id = ", Some(server_id))
    .and_raw("s.state = 'pending' AND s.kind = 'plugin'")
    .and(
        "g.steam_account = ",
        steam_id.map(|id| i64::from(id.account())),
    )
    .push(" ORDER BY s.id LIMIT ", limit)
    .build();
    conn.query(sql, &params, |row| Ok((row.get(0)?, row.get(1)?)))
        .await
}

async fn with_steps(conn: &mut Conn, mut grants: Vec<Grant>) -> Result<Vec<Grant>> {
    let ids: Vec<i64> = grants.iter().map(|grant| grant.id).collect();
    let places: HashMap<i64, usize> = ids.iter().copied().zip(0..).collect();
    let sql = select_steps!("WHERE s.grant_id = ANY($1) ORDER BY s.id");
    for (grant_id, step) in conn.query(sql, params![&ids], step).await? {
        if let Some(place) = places.get(&grant_id) {
            grants[*place].steps.push(step);
        }
    }
    Ok(grants)
}

fn unreadable() -> db::Error {
    db::Error::Engine("a grant has an unknown state".into())
}

fn state(name: &str) -> Result<GrantState> {
    GrantState::from_stored(name).ok_or_else(unreadable)
}

fn moment(row: &Row<'_>, index: usize) -> Result<Option<Timestamp>> {
    Ok(row.get::<Option<i64>>(index)?.map(Timestamp::from_unix))
}

/// A grant without its steps.
fn grant(row: &Row<'_>) -> Result<Grant> {
    let account: Option<i64> = row.get(9)?;
    let discord_id: Option<String> = row.get(10)?;
    Ok(Grant {
        id: row.get(0)?,
        product_id: row.get(1)?,
        product_name: row.get(2)?,
        user_id: row.get(3)?,
        invoice_id: row.get(4)?,
        server_id: row.get(5)?,
        state: state(&row.get::<String>(6)?)?,
        reason: row.get(7)?,
        recipient: Recipient {
            username: row.get(8)?,
            steam_id: account.and_then(|account| SteamId::of_account(account.try_into().ok()?)),
            discord_id: discord_id.and_then(|id| id.parse().ok()),
        },
        created_at: Timestamp::from_unix(row.get(11)?),
        finished_at: moment(row, 12)?,
        revoked_at: moment(row, 13)?,
        steps: Vec::new(),
    })
}

/// A step with the id of its grant.
fn step(row: &Row<'_>) -> Result<(i64, GrantStep)> {
    let kind: String = row.get(2)?;
    let state: String = row.get(4)?;
    let payload: Option<String> = row.get(10)?;
    let from: Option<i64> = row.get(19)?;
    let until: Option<i64> = row.get(20)?;
    let step = GrantStep {
        id: row.get(1)?,
        kind: StepKind::from_stored(&kind).ok_or_else(unreadable)?,
        server_id: row.get(3)?,
        state: StepState::from_stored(&state).ok_or_else(unreadable)?,
        role_id: row.get(5)?,
        seconds: row.get(6)?,
        command: row.get(7)?,
        undo_command: row.get(8)?,
        repeatable: row.get(9)?,
        payload: payload.and_then(|payload| RawValue::from_string(payload).ok()),
        undoing: row.get(11)?,
        cancelling: row.get(12)?,
        attempts: row.get(13)?,
        queued_at: Timestamp::from_unix(row.get(14)?),
        next_attempt_at: row.get(15)?,
        error: row.get(16)?,
        reply: row.get(17)?,
        done_at: moment(row, 18)?,
        period: from.zip(until).map(|(from, until)| Period {
            from: Timestamp::from_unix(from),
            until: Expiry::from_stored(until),
        }),
        previous_end: row.get::<Option<i64>>(21)?.map(Expiry::from_stored),
        role_ended: row.get(22)?,
    };
    Ok((row.get(0)?, step))
}

pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock("SELECT 1 FROM grants WHERE id = $1 FOR UPDATE", params![id])
        .await
}

/// Locks grants in the order of their ids.
pub async fn lock_many(tx: &mut Tx, ids: &[i64]) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM grants WHERE id = ANY($1) ORDER BY id FOR UPDATE",
        params![ids],
    )
    .await
}

/// Inserts a grant without its steps.
pub async fn insert(tx: &mut Tx, grant: &Grant) -> Result<i64> {
    let account = grant.recipient.steam_id.map(|id| i64::from(id.account()));
    let discord_id = grant.recipient.discord_id.map(|id| id.to_string());
    tx.insert(
        "INSERT INTO grants (product_id, product_name, user_id, invoice_id, server_id, state,
                             reason, username, steam_account, discord_id, created_at,
                             finished_at, revoked_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING id",
        params![
            grant.product_id,
            &grant.product_name,
            grant.user_id,
            grant.invoice_id,
            grant.server_id,
            grant.state.as_str(),
            &grant.reason,
            &grant.recipient.username,
            account,
            discord_id.as_deref(),
            grant.created_at,
            grant.finished_at,
            grant.revoked_at,
        ],
    )
    .await
}

pub async fn insert_step(tx: &mut Tx, grant_id: i64, step: &GrantStep) -> Result<i64> {
    tx.insert(
        "INSERT INTO grant_steps (grant_id, kind, role_id, seconds, server_id, command,
                                  undo_command, repeatable, payload, state, undoing, cancelling,
                                  attempts, queued_at, error, done_at, period_from, period_until,
                                  previous_end, role_ended)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, FALSE, FALSE, 0, $11, $12, $13, $14, $15,
                 $16, FALSE)
         RETURNING id",
        params![
            grant_id,
            step.kind.as_str(),
            step.role_id,
            step.seconds,
            step.server_id,
            step.command.as_deref(),
            step.undo_command.as_deref(),
            step.repeatable,
            step.payload.as_ref().map(|payload| payload.get()),
            step.state.as_str(),
            step.queued_at,
            step.error.as_deref(),
            step.done_at,
            step.period.map(|period| period.from),
            step.period.map(|period| period.until),
            step.previous_end,
        ],
    )
    .await
}

/// Stores what can change of a grant, without its steps.
pub async fn update(tx: &mut Tx, grant: &Grant) -> Result<()> {
    let account = grant.recipient.steam_id.map(|id| i64::from(id.account()));
    let discord_id = grant.recipient.discord_id.map(|id| id.to_string());
    tx.execute(
        "UPDATE grants
         SET state = $2, finished_at = $3, revoked_at = $4, reason = $5, username = $6,
             steam_account = $7, discord_id = $8
         WHERE id = $1",
        params![
            grant.id,
            grant.state.as_str(),
            grant.finished_at,
            grant.revoked_at,
            &grant.reason,
            &grant.recipient.username,
            account,
            discord_id.as_deref(),
        ],
    )
    .await?;
    Ok(())
}

pub async fn update_step(tx: &mut Tx, step: &GrantStep) -> Result<()> {
    tx.execute(
        "UPDATE grant_steps
         SET state = $2, undoing = $3, cancelling = $4, attempts = $5, queued_at = $6, error = $7,
             reply = $8, done_at = $9, period_from = $10, period_until = $11, previous_end = $12,
             role_ended = $13
         WHERE id = $1",
        params![
            step.id,
            step.state.as_str(),
            step.undoing,
            step.cancelling,
            step.attempts,
            step.queued_at,
            step.error.as_deref(),
            step.reply.as_deref(),
            step.done_at,
            step.period.map(|period| period.from),
            step.period.map(|period| period.until),
            step.previous_end,
            step.role_ended,
        ],
    )
    .await?;
    Ok(())
}

/// Records that the roles of these steps have ended.
pub async fn mark_role_ended(tx: &mut Tx, step_ids: &[i64]) -> Result<()> {
    tx.execute(
        "UPDATE grant_steps SET role_ended = TRUE WHERE id = ANY($1)",
        params![step_ids],
    )
    .await?;
    Ok(())
}

/// How many steps are in each state that someone or something must act on.
pub async fn open_states(conn: &mut Conn) -> Result<Vec<(String, i64)>> {
    conn.query(
        "SELECT state, COUNT(*) FROM grant_steps
         WHERE state IN ('pending', 'sending', 'failed', 'uncertain') GROUP BY state",
        &[],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}

/// When the oldest pending step became pending.
pub async fn oldest_pending(conn: &mut Conn) -> Result<Option<Timestamp>> {
    conn.query_one(
        "SELECT MIN(queued_at) FROM grant_steps WHERE state = 'pending'",
        &[],
        |row| moment(row, 0),
    )
    .await
}
