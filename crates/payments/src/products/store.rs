//! SQL of products, their prices and their steps.

use db::{Conn, Result, Row, Select, Tx, Value, params};
use serde_json::value::RawValue;

use super::{Lost, Price, Product, ProductPage, Step};
use kernel::list::Window;
use kernel::types::Timestamp;
use kernel::types::money::Money;

/// The columns that [`product`] reads.
const SELECT: &str = "
    SELECT id, name, description, active, choose_server, created_at, updated_at FROM products";

/// Reads the prices, the steps and the servers of products.
struct Parts {
    prices: &'static str,
    steps: &'static str,
    servers: &'static str,
}

/// A list costs SQLite several times as much as one id.
macro_rules! parts {
    ($which:literal) => {
        Parts {
            prices: concat!(
                "SELECT product_id, currency_id, amount FROM product_prices WHERE product_id ",
                $which,
                " ORDER BY product_id, currency_id"
            ),
            steps: concat!(
                "SELECT product_id, position, kind, role_id, seconds, command, undo_command,
                        repeatable, payload
                 FROM product_steps WHERE product_id ",
                $which,
                " ORDER BY product_id, position"
            ),
            servers: concat!(
                "SELECT product_id, position, server_id FROM product_step_servers
                 WHERE product_id ",
                $which,
                " ORDER BY product_id, position, server_id"
            ),
        }
    };
}

pub async fn list(conn: &mut Conn, page: &ProductPage, window: Window) -> Result<Vec<Product>> {
    let (sql, params) = Select::new(SELECT)
        .and("active = ", page.active)
        .and("id > ", Some(window.after))
        .push(" ORDER BY id LIMIT ", window.limit)
        .push(" OFFSET ", window.offset)
        .build();
    let products = conn.query(sql, &params, product).await?;
    let ids: Vec<i64> = products.iter().map(|product| product.id).collect();
    with_parts(conn, products, parts!("= ANY($1)"), (&*ids).into()).await
}

pub async fn count(conn: &mut Conn, page: &ProductPage) -> Result<i64> {
    let (sql, params) = Select::new("SELECT COUNT(*) FROM products")
        .and("active = ", page.active)
        .build();
    conn.query_one(sql, &params, |row| row.get(0)).await
}

pub async fn find(conn: &mut Conn, id: i64) -> Result<Option<Product>> {
    let select = Select::new(SELECT).and("id = ", Some(id));
    find_by(conn, id, select).await
}

/// A product, locked against updates and deletion by a request. A role or server that is deleted can
/// still disable it.
pub async fn find_and_lock(tx: &mut Tx, id: i64) -> Result<Option<Product>> {
    let select = Select::new(SELECT).and("id = ", Some(id));
    find_by(tx, id, select.end_where(" FOR KEY SHARE")).await
}

async fn find_by(conn: &mut Conn, id: i64, select: Select<'_>) -> Result<Option<Product>> {
    let (sql, params) = select.build();
    let products = conn.query(sql, &params, product).await?;
    let products = with_parts(conn, products, parts!("= $1"), id.into()).await?;
    Ok(products.into_iter().next())
}

/// The names of products, by id.
pub async fn names(conn: &mut Conn, ids: &[i64]) -> Result<Vec<(i64, String)>> {
    conn.query(
        "SELECT id, name FROM products WHERE id = ANY($1)",
        params![ids],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
    .await
}

/// A product without its prices and steps.
fn product(row: &Row<'_>) -> Result<Product> {
    Ok(Product {
        id: row.get(0)?,
        name: row.get(1)?,
        description: row.get(2)?,
        active: row.get(3)?,
        choose_server: row.get(4)?,
        created_at: Timestamp::from_unix(row.get(5)?),
        updated_at: Timestamp::from_unix(row.get(6)?),
        prices: Vec::new(),
        steps: Vec::new(),
    })
}

/// A step with its product and its position in it.
struct Placed {
    product_id: i64,
    position: i64,
    step: Step,
}

/// Adds prices, steps and servers, which are all ordered by the id of the product.
async fn with_parts(
    conn: &mut Conn,
    mut products: Vec<Product>,
    parts: Parts,
    which: Value<'_>,
) -> Result<Vec<Product>> {
    let prices = conn
        .query(parts.prices, &[which], |row| {
            let price = Price {
                currency_id: row.get(1)?,
                amount: Money::from_parts(row.get(2)?),
            };
            Ok((row.get::<i64>(0)?, price))
        })
        .await?;
    let steps = conn.query(parts.steps, &[which], step).await?;
    let has_servers = |placed: &Placed| !matches!(placed.step, Step::Role { .. });
    let servers: Vec<(i64, i64, i64)> = match steps.iter().any(has_servers) {
        true => {
            let server = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
            conn.query(parts.servers, &[which], server).await?
        }
        false => Vec::new(),
    };
    let mut prices = prices.into_iter().peekable();
    let mut steps = steps.into_iter().peekable();
    let mut servers = servers.into_iter().peekable();
    for product in &mut products {
        while let Some((_, price)) = prices.next_if(|(id, _)| *id == product.id) {
            product.prices.push(price);
        }
        while let Some(placed) = steps.next_if(|placed| placed.product_id == product.id) {
            let Placed {
                position, mut step, ..
            } = placed;
            let is_own = |(id, at, _): &(i64, i64, i64)| (*id, *at) == (product.id, position);
            while let Some((_, _, server_id)) = servers.next_if(is_own) {
                if let Step::Rcon { server_ids, .. } | Step::Plugin { server_ids, .. } = &mut step {
                    server_ids.push(server_id);
                }
            }
            product.steps.push(step);
        }
    }
    Ok(products)
}

/// A step without its servers.
fn step(row: &Row<'_>) -> Result<Placed> {
    let unreadable = || db::Error::Engine("a step of a product cannot be read".into());
    let kind: String = row.get(2)?;
    let step = match kind.as_str() {
        "role" => Step::Role {
            role_id: row.get(3)?,
            seconds: row.get(4)?,
        },
        "rcon" => Step::Rcon {
            server_ids: Vec::new(),
            command: row.get::<Option<String>>(5)?.ok_or_else(unreadable)?,
            undo_command: row.get(6)?,
            repeatable: row.get(7)?,
        },
        _ => Step::Plugin {
            server_ids: Vec::new(),
            payload: row
                .get::<Option<String>>(8)?
                .and_then(|payload| RawValue::from_string(payload).ok())
                .ok_or_else(unreadable)?,
        },
    };
    Ok(Placed {
        product_id: row.get(0)?,
        position: row.get(1)?,
        step,
    })
}

pub async fn lock(tx: &mut Tx, id: i64) -> Result<()> {
    tx.lock(
        "SELECT 1 FROM products WHERE id = $1 FOR UPDATE",
        params![id],
    )
    .await
}

pub async fn insert(tx: &mut Tx, product: &Product) -> Result<i64> {
    tx.insert(
        "INSERT INTO products (name, description, active, choose_server, created_at, updated_at)
         VALUES ($1, $2, $3, $4, $5, $6) RETURNING id",
        params![
            &product.name,
            &product.description,
            product.active,
            product.choose_server,
            product.created_at,
            product.updated_at,
        ],
    )
    .await
}

pub async fn update(tx: &mut Tx, product: &Product) -> Result<()> {
    tx.execute(
        "UPDATE products
         SET name = $2, description = $3, active = $4, choose_server = $5, updated_at = $6
         WHERE id = $1",
        params![
            product.id,
            &product.name,
            &product.description,
            product.active,
            product.choose_server,
            product.updated_at,
        ],
    )
    .await?;
    Ok(())
}

pub async fn replace_prices(tx: &mut Tx, product: &Product) -> Result<()> {
    tx.execute(
        "DELETE FROM product_prices WHERE product_id = $1",
        params![product.id],
    )
    .await?;
    let columns = ["product_id", "currency_id", "amount"];
    let rows = product.prices.iter().map(|price| {
        [
            product.id.into(),
            price.currency_id.into(),
            price.amount.into(),
        ]
    });
    tx.load("product_prices", columns, rows).await
}

pub async fn replace_steps(tx: &mut Tx, product: &Product) -> Result<()> {
    tx.execute(
        "DELETE FROM product_step_servers WHERE product_id = $1",
        params![product.id],
    )
    .await?;
    tx.execute(
        "DELETE FROM product_steps WHERE product_id = $1",
        params![product.id],
    )
    .await?;
    let columns = [
        "product_id",
        "position",
        "kind",
        "role_id",
        "seconds",
        "command",
        "undo_command",
        "repeatable",
        "payload",
    ];
    let rows = (0_i64..).zip(&product.steps).map(|(position, step)| {
        let (kind, role_id, seconds, command, undo_command, repeatable, payload) = match step {
            Step::Role { role_id, seconds } => {
                ("role", *role_id, *seconds, None, None, false, None)
            }
            Step::Rcon {
                command,
                undo_command,
                repeatable,
                ..
            } => {
                let (command, undo) = (Some(command.as_str()), undo_command.as_deref());
                ("rcon", None, None, command, undo, *repeatable, None)
            }
            Step::Plugin { payload, .. } => {
                ("plugin", None, None, None, None, false, Some(payload.get()))
            }
        };
        [
            product.id.into(),
            position.into(),
            kind.into(),
            role_id.into(),
            seconds.into(),
            command.into(),
            undo_command.into(),
            repeatable.into(),
            payload.into(),
        ]
    });
    tx.load("product_steps", columns, rows).await?;
    let mut servers = Vec::new();
    for (position, step) in (0_i64..).zip(&product.steps) {
        for server_id in step.server_ids() {
            servers.push([product.id.into(), position.into(), (*server_id).into()]);
        }
    }
    let columns = ["product_id", "position", "server_id"];
    tx.load("product_step_servers", columns, servers).await
}

/// Whether an invoice or a grant names the product.
pub async fn is_used(conn: &mut Conn, id: i64) -> Result<bool> {
    conn.query_one(
        "SELECT EXISTS (SELECT 1 FROM payment_invoices WHERE product_id = $1)
             OR EXISTS (SELECT 1 FROM grants WHERE product_id = $1)",
        params![id],
        |row| row.get(0),
    )
    .await
}

pub async fn delete(tx: &mut Tx, id: i64) -> Result<()> {
    tx.execute("DELETE FROM products WHERE id = $1", params![id])
        .await?;
    Ok(())
}

/// Disables the products that give a role or are for a server. Returns their ids.
pub async fn disable_those_with(tx: &mut Tx, lost: Lost, now: Timestamp) -> Result<Vec<i64>> {
    macro_rules! disable {
        ($table:literal, $column:literal) => {
            concat!(
                "UPDATE products SET active = FALSE, updated_at = $2
                 WHERE active AND id IN (SELECT product_id FROM ",
                $table,
                " WHERE ",
                $column,
                " = $1) RETURNING id"
            )
        };
    }
    let (sql, id) = match lost {
        Lost::Role(id) => (disable!("product_steps", "role_id"), id),
        Lost::Server(id) => (disable!("product_step_servers", "server_id"), id),
    };
    let mut ids: Vec<i64> = tx.query(sql, params![id, now], |row| row.get(0)).await?;
    ids.sort_unstable();
    Ok(ids)
}
