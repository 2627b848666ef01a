//! SQL of the roles that users hold. Every write changes `user_roles` before the history, as the
//! delete of a user does, so that two transactions cannot deadlock.

use db::{Conn, Result, Row, Select, Tx, Value, params};

use super::{Color, Expired, ExpiredRole, Given, PastRole, Role, RoleFields, Source, UserRole};
use kernel::list::Window;
use kernel::types::{Expiry, Timestamp};

/// Whether a role has expired at the time of this parameter. The second part, which follows from
/// the first, lets the engines use the index of roles that have an end. SQLite reads that index up
/// to the first bound.
macro_rules! has_expired_role {
    ($now:literal) => {
        concat!(
            "h.expires_at <= ",
            $now,
            " AND h.expires_at < 9223372036854775807"
        )
    };
}

macro_rules! select_held {
    ($rest:literal) => {
        concat!(
            "SELECT r.id, r.name, r.description, r.color, p.granted_at, h.expires_at
             FROM user_roles h JOIN roles r ON r.id = h.role_id
             JOIN user_role_history p
               ON p.role_id = h.role_id AND p.user_id = h.user_id AND p.ended_at IS NULL
             WHERE h.user_id = $1 AND ",
            $rest
        )
    };
}

/// The roles that a user holds at `now`, by id.
pub async fn list(conn: &mut Conn, now: Timestamp, user_id: i64) -> Result<Vec<UserRole>> {
    let sql = select_held!("h.expires_at > $2 ORDER BY r.id");
    conn.query(sql, params![user_id, now], held).await
}

/// A role that was given to a user, until it is ended.
pub async fn find(conn: &mut Conn, user_id: i64, role_id: i64) -> Result<Option<UserRole>> {
    let sql = select_held!("h.role_id = $2");
    conn.query_opt(sql, params![user_id, role_id], held).await
}

fn held(row: &Row<'_>) -> Result<UserRole> {
    Ok(UserRole {
        id: row.get(0)?,
        name: row.get(1)?,
        description: row.get(2)?,
        color: Color::from_stored(row.get(3)?),
        granted_at: Timestamp::from_unix(row.get(4)?),
        expires_at: Expiry::from_stored(row.get(5)?).time(),
    })
}

pub async fn give(tx: &mut Tx, user_ids: &[i64], role_ids: &[i64], given: Given) -> Result<()> {
    tx.execute(
        "INSERT INTO user_roles (user_id, role_id, expires_at)
         SELECT u.id, r.id, $3 FROM users u CROSS JOIN roles r
         WHERE u.id = ANY($1) AND r.id = ANY($2)
         ON CONFLICT DO NOTHING",
        params![user_ids, role_ids, given.expiry],
    )
    .await?;
    tx.execute(
        "INSERT INTO user_role_history (user_id, role_id, role_name, granted_at, expires_at,
                                        source_kind, source_id)
         SELECT u.id, r.id, r.name, $3, $4, $5, $6 FROM users u CROSS JOIN roles r
         WHERE u.id = ANY($1) AND r.id = ANY($2) ORDER BY u.id, r.id
         ON CONFLICT DO NOTHING",
        params![
            user_ids,
            role_ids,
            given.granted_at,
            given.expiry,
            given.source.kind(),
            given.source.id(),
        ],
    )
    .await?;
    Ok(())
}

/// Gives one role to one user, both of whom exist.
pub async fn give_one(tx: &mut Tx, user_id: i64, role: &Role, given: Given) -> Result<()> {
    tx.execute(
        "INSERT INTO user_roles (user_id, role_id, expires_at) VALUES ($1, $2, $3)
         ON CONFLICT DO NOTHING",
        params![user_id, role.id, given.expiry],
    )
    .await?;
    tx.execute(
        "INSERT INTO user_role_history (user_id, role_id, role_name, granted_at, expires_at,
                                        source_kind, source_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING",
        params![
            user_id,
            role.id,
            &role.name,
            given.granted_at,
            given.expiry,
            given.source.kind(),
            given.source.id(),
        ],
    )
    .await?;
    Ok(())
}

/// Sets the end of a role that the user holds.
pub async fn set_end(tx: &mut Tx, user_id: i64, role_id: i64, expiry: Expiry) -> Result<()> {
    tx.execute(
        "UPDATE user_roles SET expires_at = $3 WHERE user_id = $1 AND role_id = $2",
        params![user_id, role_id, expiry],
    )
    .await?;
    tx.execute(
        "UPDATE user_role_history SET expires_at = $3
         WHERE role_id = $2 AND user_id = $1 AND ended_at IS NULL",
        params![user_id, role_id, expiry],
    )
    .await?;
    Ok(())
}

pub async fn remove(
    tx: &mut Tx,
    user_ids: &[i64],
    role_ids: &[i64],
    now: Timestamp,
    ended_by: &str,
) -> Result<()> {
    tx.execute(
        "DELETE FROM user_roles WHERE user_id = ANY($1) AND role_id = ANY($2)",
        params![user_ids, role_ids],
    )
    .await?;
    tx.execute(
        "UPDATE user_role_history SET ended_at = $3, ended_by = $4
         WHERE user_id = ANY($1) AND role_id = ANY($2) AND ended_at IS NULL",
        params![user_ids, role_ids, now, ended_by],
    )
    .await?;
    Ok(())
}

pub async fn remove_all_of(
    tx: &mut Tx,
    role_id: i64,
    now: Timestamp,
    ended_by: &str,
) -> Result<()> {
    tx.execute(
        "DELETE FROM user_roles WHERE role_id = $1",
        params![role_id],
    )
    .await?;
    tx.execute(
        "UPDATE user_role_history SET ended_at = $2, ended_by = $3
         WHERE role_id = $1 AND ended_at IS NULL",
        params![role_id, now, ended_by],
    )
    .await?;
    Ok(())
}

/// The users whose roles expired first, at most `limit`. A user may occur twice.
pub async fn expired_users(conn: &mut Conn, now: Timestamp, limit: i64) -> Result<Vec<i64>> {
    conn.query(
        concat!(
            "SELECT h.user_id FROM user_roles h WHERE ",
            has_expired_role!("$1"),
            " ORDER BY h.expires_at LIMIT $2"
        ),
        params![now, limit],
        |row| row.get(0),
    )
    .await
}

pub(super) async fn expired(
    conn: &mut Conn,
    now: Timestamp,
    which: &Expired<'_>,
) -> Result<Vec<ExpiredRole>> {
    macro_rules! select {
        ($which:literal) => {
            concat!(
                "SELECT h.user_id, r.id, r.name, h.expires_at
                 FROM user_roles h JOIN roles r ON r.id = h.role_id WHERE ",
                $which,
                " AND ",
                has_expired_role!("$2"),
                " ORDER BY h.expires_at, h.user_id, r.id"
            )
        };
    }
    let ended = |row: &Row<'_>| {
        Ok(ExpiredRole {
            user_id: row.get(0)?,
            role: RoleFields {
                role_id: row.get(1)?,
                role_name: row.get(2)?,
                expires_at: Expiry::from_stored(row.get(3)?).time(),
            },
        })
    };
    match which {
        Expired::OfUsers(ids) => {
            let sql = select!("h.user_id = ANY($1)");
            conn.query(sql, params![*ids, now], ended).await
        }
        Expired::OfRole(id) => {
            let sql = select!("h.role_id = $1");
            conn.query(sql, params![*id, now], ended).await
        }
    }
}

pub(super) async fn end_expired(
    tx: &mut Tx,
    now: Timestamp,
    which: &Expired<'_>,
    ended_by: &str,
) -> Result<()> {
    macro_rules! end {
        ($which:literal) => {
            (
                concat!(
                    "UPDATE user_role_history AS h SET ended_at = h.expires_at, ended_by = $3
                     WHERE h.ended_at IS NULL AND ",
                    $which,
                    " AND h.expires_at <= $2"
                ),
                concat!(
                    "DELETE FROM user_roles AS h WHERE ",
                    $which,
                    " AND ",
                    has_expired_role!("$2")
                ),
            )
        };
    }
    let (which, (history, held)) = match which {
        Expired::OfUsers(ids) => (Value::from(*ids), end!("h.user_id = ANY($1)")),
        Expired::OfRole(id) => (Value::from(*id), end!("h.role_id = $1")),
    };
    tx.execute(held, &[which, now.into()]).await?;
    tx.execute(history, &[which, now.into(), ended_by.into()])
        .await?;
    Ok(())
}

pub async fn history(conn: &mut Conn, user_id: i64, window: Window) -> Result<Vec<PastRole>> {
    let select =
        "SELECT p.id, p.role_id, COALESCE(r.name, p.role_name), p.granted_at, p.expires_at,
                         p.ended_at, p.ended_by, p.source_kind, p.source_id
                  FROM user_role_history p LEFT JOIN roles r ON r.id = p.role_id";
    let (sql, params) = Select::new(select)
        .and("p.user_id = ", Some(user_id))
        .and("p.id < ", window.after_id())
        .push(" ORDER BY p.id DESC LIMIT ", window.limit)
        .push(" OFFSET ", window.offset)
        .build();
    conn.query(sql, &params, |row| {
        Ok(PastRole {
            id: row.get(0)?,
            role_id: row.get(1)?,
            role_name: row.get(2)?,
            granted_at: Timestamp::from_unix(row.get(3)?),
            expires_at: Expiry::from_stored(row.get(4)?).time(),
            ended_at: row.get::<Option<i64>>(5)?.map(Timestamp::from_unix),
            ended_by: row.get(6)?,
            source: Source::from_stored(&row.get::<String>(7)?, row.get(8)?),
        })
    })
    .await
}

pub async fn count_history(conn: &mut Conn, user_id: i64) -> Result<i64> {
    conn.query_one(
        "SELECT COUNT(*) FROM user_role_history WHERE user_id = $1",
        params![user_id],
        |row| row.get(0),
    )
    .await
}

/// Inserts the history of new users, and the roles that they hold.
pub async fn load(tx: &mut Tx, histories: &[(i64, &[PastRole])]) -> Result<()> {
    let all = || {
        let histories = histories.iter();
        histories.flat_map(|(user_id, roles)| roles.iter().map(|role| (*user_id, role)))
    };
    let columns = [
        "user_id",
        "role_id",
        "role_name",
        "granted_at",
        "expires_at",
        "ended_at",
        "ended_by",
        "source_kind",
        "source_id",
    ];
    let rows = all().map(|(user_id, role)| {
        [
            user_id.into(),
            role.role_id.into(),
            Value::from(&role.role_name),
            role.granted_at.into(),
            Expiry::at(role.expires_at).into(),
            role.ended_at.into(),
            role.ended_by.as_deref().into(),
            role.source.kind().into(),
            role.source.id().into(),
        ]
    });
    tx.load("user_role_history", columns, rows).await?;
    let held = all().filter(|(_, role)| role.ended_at.is_none());
    let rows = held.map(|(user_id, role)| {
        let expiry = Expiry::at(role.expires_at);
        [user_id.into(), role.role_id.into(), expiry.into()]
    });
    tx.load("user_roles", ["user_id", "role_id", "expires_at"], rows)
        .await
}
