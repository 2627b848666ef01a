//! SQLite: a connection for each thread that reads, and one thread that writes in groups.

use std::cell::RefCell;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use kernel::types::Timestamp;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, Row, params};
use tokio::sync::oneshot;

use crate::bodies::{
    ActiveBan, INVOICE_END, Invoice, InvoiceState, ListedUser, NewInvoice, Role, RoleItem,
    UserDetail, end, fields, status,
};
use crate::store::{self, Author, Failure, Key, Player, Result, Store};

const MOST_IN_GROUP: usize = 256;
/// In KiB, as SQLite takes them.
const READER_CACHE: i64 = -(4 << 10);
const WRITER_CACHE: i64 = -(16 << 10);

/// Joined in this order: three look-ups by key.
const REFERENCES: &str = "
    SELECT g.id, c.code FROM users u CROSS JOIN payment_gateways g CROSS JOIN currencies c
    WHERE u.id = ?1 AND g.key = ?2 AND g.enabled AND c.id = ?3 AND c.minimum_value <= ?4";

thread_local! {
    static READER: RefCell<Option<Connection>> = const { RefCell::new(None) };
}

pub struct Sqlite {
    path: PathBuf,
    writer: Sender<Write>,
}

/// Runs a write in the transaction of its group.
type Write = Box<dyn FnOnce(&Connection) -> rusqlite::Result<Answer> + Send>;
/// Answers the request when its group is durable.
type Answer = Box<dyn FnOnce() + Send>;

impl Sqlite {
    pub fn open(path: PathBuf) -> Result<Self> {
        let conn = open(&path, WRITER_CACHE)?;
        conn.pragma_update(None, "synchronous", "full")?;
        conn.pragma_update(None, "foreign_keys", true)?;
        let (writer, writes) = channel();
        std::thread::spawn(move || write_groups(&conn, &writes));
        Ok(Self { path, writer })
    }

    /// On the calling thread: a brief read takes less time than handing it over.
    fn read<T>(&self, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        READER.with_borrow_mut(|reader| {
            let conn = match reader {
                Some(conn) => conn,
                none => none.insert(open(&self.path, READER_CACHE)?),
            };
            Ok(work(conn)?)
        })
    }

    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T> {
        let (sender, answer) = oneshot::channel();
        let write: Write = Box::new(|conn| {
            let written = work(conn)?;
            Ok(Box::new(|| {
                // The client may be gone.
                let _ = sender.send(written);
            }))
        });
        self.writer.send(write).map_err(Failure::internal)?;
        answer.await.map_err(Failure::internal)
    }
}

fn open(path: &PathBuf, cache: i64) -> rusqlite::Result<Connection> {
    let conn = Connection::open(path)?;
    // Otherwise statements are prepared again whenever a bound value might change the plan.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // For the service, which may have the file open, too.
    conn.busy_timeout(Duration::from_secs(5))?;
    conn.pragma_update(None, "cache_size", cache)?;
    Ok(conn)
}

/// A group has all writes that wait, and one commit. If one write fails, all of them do: their
/// requests are answered when the senders are dropped.
fn write_groups(conn: &Connection, writes: &Receiver<Write>) {
    while let Ok(first) = writes.recv() {
        match write_group(conn, first, writes) {
            Ok(answers) => answers.into_iter().for_each(|answer| answer()),
            Err(error) => {
                eprintln!("{error}");
                let _ = conn.execute_batch("ROLLBACK");
            }
        }
    }
}

fn write_group(
    conn: &Connection,
    first: Write,
    writes: &Receiver<Write>,
) -> rusqlite::Result<Vec<Answer>> {
    conn.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
    let mut answers = vec![first(conn)?];
    while answers.len() < MOST_IN_GROUP
        && let Ok(write) = writes.try_recv()
    {
        answers.push(write(conn)?);
    }
    conn.prepare_cached("COMMIT")?.execute([])?;
    Ok(answers)
}

impl Store for Sqlite {
    async fn keys(&self) -> Result<Vec<(Vec<u8>, Key)>> {
        self.read(|conn| {
            let mut statement = conn.prepare(store::KEYS)?;
            let keys = statement.query_map([], |row| {
                let key = Key {
                    id: row.get(1)?,
                    name: row.get(2)?,
                };
                Ok((row.get(0)?, key))
            })?;
            keys.collect()
        })
    }

    async fn user(&self, id: i64, now: Timestamp) -> Result<Option<UserDetail>> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(store::USER)?;
            let mut rows = statement.query([now.unix(), id])?;
            let mut user = None;
            while let Some(row) = rows.next()? {
                let user = match &mut user {
                    Some(user) => user,
                    none => none.insert(detail(id, row, now)?),
                };
                if let Some(id) = row.get(6)? {
                    user.roles.push(RoleItem {
                        id,
                        name: row.get(7)?,
                        description: row.get(8)?,
                    });
                }
            }
            Ok(user)
        })
    }

    async fn users(&self, offset: i64, now: Timestamp) -> Result<Vec<ListedUser>> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(store::USERS)?;
            let users = statement.query_map([offset], |row| {
                Ok(ListedUser {
                    id: row.get(0)?,
                    username: row.get(1)?,
                    email: row.get(2)?,
                    created_at: Timestamp::from_unix(row.get(4)?),
                    status: status(row.get(3)?, row.get(5)?, now),
                })
            })?;
            users.collect()
        })
    }

    async fn bans(&self, player: &Player, now: Timestamp) -> Result<Vec<ActiveBan>> {
        self.read(|conn| {
            let mut statement = conn.prepare_cached(store::BANS)?;
            let params = params![player.account, now.unix(), player.network, player.bits];
            let bans = statement.query_map(params, |row| {
                Ok(ActiveBan {
                    id: row.get(0)?,
                    kind: row.get(1)?,
                    reason: row.get(2)?,
                    expires_at: end(row.get(3)?),
                })
            })?;
            bans.collect()
        })
    }

    async fn create_role(&self, role: Role, author: Author) -> Result<i64> {
        let state = fields(&role).map_err(Failure::internal)?;
        self.write(move |conn| {
            conn.prepare_cached("INSERT INTO roles (name, description, color) VALUES (?, ?, ?)")?
                .execute(params![role.name, role.description, role.color])?;
            let id = conn.last_insert_rowid();
            let after = format!("{{\"id\":{id},{state}}}");
            record(conn, &author, "roles", id, &after, None)?;
            Ok(id)
        })
        .await
    }

    async fn create_invoice(&self, new: NewInvoice, author: Author) -> Result<Option<Invoice>> {
        let state = fields(&InvoiceState::new(&new)).map_err(Failure::internal)?;
        self.write(move |conn| {
            let created = insert_invoice(conn, &new, author.now)?;
            if let Some(Invoice { id, currency }) = &created {
                let code = serde_json::Value::from(currency.as_str());
                let after = format!("{{\"id\":{id},{state},\"currency\":{code}{INVOICE_END}");
                let user_id = Some(new.user_id);
                record(conn, &author, "payment_invoices", *id, &after, user_id)?;
            }
            Ok(created)
        })
        .await
    }
}

fn detail(id: i64, row: &Row<'_>, now: Timestamp) -> rusqlite::Result<UserDetail> {
    Ok(UserDetail {
        id,
        username: row.get(0)?,
        email: row.get(1)?,
        status: status(row.get(2)?, row.get(5)?, now),
        created_at: Timestamp::from_unix(row.get(3)?),
        updated_at: Timestamp::from_unix(row.get(4)?),
        roles: Vec::new(),
    })
}

/// Inserts an invoice and adds it to the statistics, unless something it refers to is missing.
fn insert_invoice(
    conn: &Connection,
    new: &NewInvoice,
    now: Timestamp,
) -> rusqlite::Result<Option<Invoice>> {
    let parts = new.amount.parts();
    let mut statement = conn.prepare_cached(REFERENCES)?;
    let mut rows = statement.query(params![new.user_id, new.gateway, new.currency_id, parts])?;
    let Some(row) = rows.next()? else {
        return Ok(None);
    };
    let (gateway_id, currency): (i64, String) = (row.get(0)?, row.get(1)?);
    conn.prepare_cached(
        "INSERT INTO payment_invoices (user_id, gateway_id, amount, original_amount, currency_id,
                                       is_paid, failed_reason, created_at)
         VALUES (?1, ?2, ?3, ?3, ?4, FALSE, '', ?5)",
    )?
    .execute(params![
        new.user_id,
        gateway_id,
        parts,
        new.currency_id,
        now.unix()
    ])?;
    let id = conn.last_insert_rowid();
    conn.prepare_cached(
        "INSERT INTO payment_buckets (day, gateway_id, currency_id, state, whole, fraction, count)
         VALUES (?1 / 86400, ?2, ?3, 'pending', ?4 / 10000, ?4 % 10000, 1)",
    )?
    .execute(params![now.unix(), gateway_id, new.currency_id, parts])?;
    Ok(Some(Invoice { id, currency }))
}

/// Writes the audit entry of a new resource.
fn record(
    conn: &Connection,
    author: &Author,
    resource: &str,
    id: i64,
    after: &str,
    about_user_id: Option<i64>,
) -> rusqlite::Result<()> {
    conn.prepare_cached(
        "INSERT INTO audit_log (at, key_id, key_name, request_id, ip, action, resource,
                                resource_id, before, after, about_user_id)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6 || '.create', ?6, ?7, '{}', ?8, ?9)",
    )?
    .execute(params![
        author.now.unix(),
        author.key.id,
        author.key.name,
        author.request_id,
        author.ip,
        resource,
        id,
        after,
        about_user_id,
    ])?;
    Ok(())
}
