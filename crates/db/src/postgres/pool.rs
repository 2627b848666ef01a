//! The pool of connections and their prepared statements.

use std::ops::Deref;

use deadpool::managed::{self, Manager, Metrics, RecycleError, RecycleResult};
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio_postgres::{Client, Error, Statement};

use super::servers::Servers;
use crate::by_address::{ByAddress, MAX_CACHED_STATEMENTS, MapByAddress};

pub(super) type Pool = managed::Pool<Servers>;
pub(super) type Object = managed::Object<Servers>;
pub(super) type PoolError = managed::PoolError<Error>;

impl Manager for Servers {
    type Type = PooledClient;
    type Error = Error;

    async fn create(&self) -> Result<PooledClient, Error> {
        // On the heap: the future is large, and would be part of that of every request.
        let (client, connection) = Box::pin(self.connect()).await?;
        let driver = tokio::spawn(async {
            if let Err(error) = connection.await {
                tracing::debug!(?error, "lost a connection to the database");
            }
        });
        Ok(PooledClient {
            client,
            driver,
            statements: Mutex::default(),
        })
    }

    async fn recycle(&self, client: &mut PooledClient, _: &Metrics) -> RecycleResult<Error> {
        match client.is_closed() {
            true => Err(RecycleError::message("closed")),
            false => Ok(()),
        }
    }
}

/// A client and its prepared statements. Dropping it closes the connection.
pub(super) struct PooledClient {
    client: Client,
    driver: JoinHandle<()>,
    statements: Mutex<MapByAddress<Statement>>,
}

impl PooledClient {
    /// Two readers that share the connection may both prepare a statement the first time.
    pub async fn prepared(&self, sql: &'static str) -> Result<Statement, Error> {
        let known = self.statements.lock().get(&ByAddress(sql)).cloned();
        if let Some(statement) = known {
            return Ok(statement);
        }
        let statement = self.client.prepare(sql).await?;
        let mut statements = self.statements.lock();
        if statements.len() >= MAX_CACHED_STATEMENTS {
            statements.clear();
        }
        statements.insert(ByAddress(sql), statement.clone());
        Ok(statement)
    }
}

impl Deref for PooledClient {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl Drop for PooledClient {
    fn drop(&mut self) {
        self.driver.abort();
    }
}
