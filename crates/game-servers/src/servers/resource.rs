use std::net::{IpAddr, SocketAddr};

use serde::Serialize;

use super::{Address, Game};
use kernel::secret::Secret;
use kernel::types::Timestamp;
use kernel::write::Resource;
use kernel::{Error, Result};

#[derive(Clone, Debug, Serialize)]
pub struct Server {
    pub id: i64,
    pub name: String,
    pub ip: Address,
    pub port: i64,
    pub enabled: bool,
    pub game: Game,
    /// The port for live queries, if it differs from `port`.
    pub query_port: Option<i64>,
    /// Encrypted; see [`password`](super::password). Empty if the server has none.
    #[serde(skip)]
    pub rcon_password: Secret<Vec<u8>>,
    #[serde(skip)]
    pub created_at: Timestamp,
    #[serde(skip)]
    pub updated_at: Timestamp,
}

impl Server {
    pub fn has_password(&self) -> bool {
        !self.rcon_password.reveal().is_empty()
    }

    /// The address for players and RCON clients, in canonical form.
    pub fn address(&self) -> Result<SocketAddr> {
        let ip: IpAddr = self.ip.as_str().parse().map_err(Error::internal)?;
        let port = u16::try_from(self.port).map_err(Error::internal)?;
        Ok(SocketAddr::new(ip.to_canonical(), port))
    }
}

impl Resource for Server {
    const PLURAL: &'static str = "servers";
    const SINGULAR: &'static str = "server";
    const SECRETS: &'static [&'static str] = &["rcon_password"];

    fn id(&self) -> i64 {
        self.id
    }

    fn hidden(&self) -> &[u8] {
        self.rcon_password.reveal()
    }
}
