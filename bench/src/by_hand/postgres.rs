//! PostgreSQL: a few connections that reads share, and a pool for writes. Each write is one
//! statement, and so one round trip and one transaction.

use std::sync::atomic::{AtomicUsize, Ordering};

use deadpool::managed::{Manager, Metrics, Pool, RecycleError, RecycleResult};
use kernel::types::Timestamp;
use tokio_postgres::{Client, Config, Error, NoTls, Row, Statement};

use crate::bodies::{
    ActiveBan, INVOICE_END, Invoice, InvoiceState, ListedUser, NewInvoice, Role, RoleItem,
    UserDetail, end, fields, status,
};
use crate::store::{self, Author, Failure, Key, Player, Result, Store};

const WRITERS: usize = 32;

const CREATE_ROLE: &str = "
    WITH role AS (
        INSERT INTO roles (name, description, color) VALUES ($1, $2, $3) RETURNING id)
    INSERT INTO audit_log (at, key_id, key_name, request_id, ip, action, resource, resource_id,
                           before, after)
    SELECT $4, $5, $6, $7, $8, 'roles.create', 'roles', id, '{}',
           '{\"id\":' || id || ',' || $9::text || '}'
    FROM role RETURNING resource_id";

/// The parts of `WITH` that write run even if nothing reads them.
const CREATE_INVOICE: &str = "
    WITH invoice AS (
        INSERT INTO payment_invoices (user_id, gateway_id, amount, original_amount, currency_id,
                                      is_paid, failed_reason, created_at)
        SELECT u.id, g.id, $3::bigint, $3::bigint, c.id, FALSE, '', $5::bigint
        FROM users u, payment_gateways g, currencies c
        WHERE u.id = $1 AND g.key = $2 AND g.enabled AND c.id = $4 AND c.minimum_value <= $3
        RETURNING id, gateway_id),
    counted AS (
        INSERT INTO payment_buckets (day, gateway_id, currency_id, state, whole, fraction, count)
        SELECT $5 / 86400, gateway_id, $4, 'pending', $3 / 10000, $3 % 10000, 1 FROM invoice),
    recorded AS (
        INSERT INTO audit_log (at, key_id, key_name, request_id, ip, action, resource, resource_id,
                               before, after, about_user_id)
        SELECT $5, $6, $7, $8, $9, 'payment_invoices.create', 'payment_invoices', i.id, '{}',
               '{\"id\":' || i.id || ',' || $10::text || ',\"currency\":' || to_json(c.code) || $11,
               $1
        FROM invoice i, currencies c WHERE c.id = $4)
    SELECT i.id, c.code FROM invoice i, currencies c WHERE c.id = $4";

pub struct Postgres {
    readers: Vec<Session>,
    next: AtomicUsize,
    writers: Pool<Sessions>,
}

/// A connection with its prepared statements.
struct Session {
    client: Client,
    user: Statement,
    users: Statement,
    bans: Statement,
    create_role: Statement,
    create_invoice: Statement,
}

struct Sessions(Config);

impl Manager for Sessions {
    type Type = Session;
    type Error = Error;

    async fn create(&self) -> Result<Session, Error> {
        let (client, connection) = self.0.connect(NoTls).await?;
        tokio::spawn(async {
            if let Err(error) = connection.await {
                eprintln!("{error}");
            }
        });
        Ok(Session {
            user: client.prepare(store::USER).await?,
            users: client.prepare(store::USERS).await?,
            bans: client.prepare(store::BANS).await?,
            create_role: client.prepare(CREATE_ROLE).await?,
            create_invoice: client.prepare(CREATE_INVOICE).await?,
            client,
        })
    }

    async fn recycle(&self, session: &mut Session, _: &Metrics) -> RecycleResult<Error> {
        match session.client.is_closed() {
            true => Err(RecycleError::message("closed")),
            false => Ok(()),
        }
    }
}

impl Postgres {
    pub async fn connect(config: Config) -> Result<Self> {
        let sessions = Sessions(config);
        let mut readers = Vec::new();
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            readers.push(sessions.create().await?);
        }
        let writers = Pool::builder(sessions).max_size(WRITERS).build();
        Ok(Self {
            readers,
            next: AtomicUsize::default(),
            writers: writers.map_err(Failure::internal)?,
        })
    }

    fn reader(&self) -> &Session {
        let next = self.next.fetch_add(1, Ordering::Relaxed);
        &self.readers[next % self.readers.len()]
    }
}

impl Store for Postgres {
    async fn keys(&self) -> Result<Vec<(Vec<u8>, Key)>> {
        let rows = self.reader().client.query(store::KEYS, &[]).await?;
        let key = |row: &Row| {
            let (id, name) = (row.get(1), row.get(2));
            (row.get(0), Key { id, name })
        };
        Ok(rows.iter().map(key).collect())
    }

    async fn user(&self, id: i64, now: Timestamp) -> Result<Option<UserDetail>> {
        let Session { client, user, .. } = self.reader();
        let rows = client.query(user, &[&now.unix(), &id]).await?;
        let Some(first) = rows.first() else {
            return Ok(None);
        };
        let role = |row: &Row| {
            Some(RoleItem {
                id: row.get::<_, Option<i64>>(6)?,
                name: row.get(7),
                description: row.get(8),
            })
        };
        Ok(Some(UserDetail {
            id,
            username: first.get(0),
            email: first.get(1),
            status: status(first.get(2), first.get(5), now),
            created_at: Timestamp::from_unix(first.get(3)),
            updated_at: Timestamp::from_unix(first.get(4)),
            roles: rows.iter().filter_map(role).collect(),
        }))
    }

    async fn users(&self, offset: i64, now: Timestamp) -> Result<Vec<ListedUser>> {
        let Session { client, users, .. } = self.reader();
        let rows = client.query(users, &[&offset]).await?;
        let user = |row: &Row| ListedUser {
            id: row.get(0),
            username: row.get(1),
            email: row.get(2),
            created_at: Timestamp::from_unix(row.get(4)),
            status: status(row.get(3), row.get(5), now),
        };
        Ok(rows.iter().map(user).collect())
    }

    async fn bans(&self, player: &Player, now: Timestamp) -> Result<Vec<ActiveBan>> {
        let Session { client, bans, .. } = self.reader();
        let Player {
            account,
            network,
            bits,
        } = player;
        let params: [&(dyn tokio_postgres::types::ToSql + Sync); 4] =
            [account, &now.unix(), network, bits];
        let rows = client.query(bans, &params).await?;
        let ban = |row: &Row| ActiveBan {
            id: row.get(0),
            kind: row.get(1),
            reason: row.get(2),
            expires_at: end(row.get(3)),
        };
        Ok(rows.iter().map(ban).collect())
    }

    async fn create_role(&self, role: Role, author: Author) -> Result<i64> {
        let state = fields(&role).map_err(Failure::internal)?;
        let session = self.writers.get().await.map_err(Failure::internal)?;
        let Author {
            key,
            ip,
            request_id,
            now,
        } = author;
        let row = session
            .client
            .query_one(
                &session.create_role,
                &[
                    &role.name,
                    &role.description,
                    &role.color,
                    &now.unix(),
                    &key.id,
                    &key.name,
                    &request_id,
                    &ip,
                    &state,
                ],
            )
            .await?;
        Ok(row.get(0))
    }

    async fn create_invoice(&self, new: NewInvoice, author: Author) -> Result<Option<Invoice>> {
        let state = fields(&InvoiceState::new(&new)).map_err(Failure::internal)?;
        let session = self.writers.get().await.map_err(Failure::internal)?;
        let Author {
            key,
            ip,
            request_id,
            now,
        } = author;
        let row = session
            .client
            .query_opt(
                &session.create_invoice,
                &[
                    &new.user_id,
                    &new.gateway,
                    &new.amount.parts(),
                    &new.currency_id,
                    &now.unix(),
                    &key.id,
                    &key.name,
                    &request_id,
                    &ip,
                    &state,
                    &INVOICE_END,
                ],
            )
            .await?;
        Ok(row.map(|row| Invoice {
            id: row.get(0),
            currency: row.get(1),
        }))
    }
}
