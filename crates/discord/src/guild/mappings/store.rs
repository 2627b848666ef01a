use db::{Conn, Result, Tx, params};

use crate::guild::resource::{Mapping, Problem, Snowflake};

/// All pairs, by their ids.
pub async fn list(conn: &mut Conn) -> Result<Vec<Mapping>> {
    conn.query(
        "SELECT role_id, discord_role_id, problem FROM discord_roles
         ORDER BY role_id, discord_role_id LIMIT 250",
        &[],
        |row| {
            let problem: Option<String> = row.get(2)?;
            Ok(Mapping {
                role_id: row.get(0)?,
                discord_role_id: Snowflake(row.get(1)?),
                problem: problem.as_deref().and_then(Problem::from_stored),
            })
        },
    )
    .await
}

pub async fn insert(tx: &mut Tx, pair: &Mapping) -> Result<()> {
    tx.execute(
        "INSERT INTO discord_roles (role_id, discord_role_id, problem) VALUES ($1, $2, $3)",
        params![
            pair.role_id,
            pair.discord_role_id.0,
            pair.problem.map(Problem::as_str),
        ],
    )
    .await?;
    Ok(())
}

pub async fn delete_all(tx: &mut Tx) -> Result<()> {
    tx.execute("DELETE FROM discord_roles", &[]).await?;
    Ok(())
}

/// Sets what is wrong with a role at Discord; nothing if `None`.
pub async fn set_problem(
    tx: &mut Tx,
    discord_role_id: Snowflake,
    problem: Option<Problem>,
) -> Result<()> {
    tx.execute(
        "UPDATE discord_roles SET problem = $2 WHERE discord_role_id = $1",
        params![discord_role_id.0, problem.map(Problem::as_str)],
    )
    .await?;
    Ok(())
}
