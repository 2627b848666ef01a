//! Sends commands to the console of a game server over RCON.
//!
//! A command is recorded in the audit log first ([`record`]) and sent after that transaction
//! ([`send`]), since a sent command cannot be rolled back.

use std::net::SocketAddr;
use std::time::Duration;

use rcon::Failed;
use serde::Serialize;

use super::{CommandLine, RconCommand, Server, masked_command, password};
use crate::servers::live;
use kernel::secret::Secret;
use kernel::write::{Change, Edit, Outcome, Target};
use kernel::{Error, ErrorCode, Result};

const LIMITS: rcon::Limits = rcon::Limits {
    time: Duration::from_secs(5),
    answer: 64 << 10,
};

/// A recorded command, ready to be sent.
pub struct RecordedCommand {
    address: SocketAddr,
    password: Secret<Vec<u8>>,
    command: CommandLine,
}

/// The answer of the game server.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub text: String,
    /// Whether the answer was longer than the limit.
    pub truncated: bool,
}

/// The command in the audit log.
#[derive(Serialize)]
struct AuditedCommand {
    /// The command with passwords masked.
    command: String,
}

/// Records the command, its sender and its server in the audit log.
pub async fn record(
    edit: &mut Edit,
    settings: &live::Settings,
    server: Target<Server>,
    RconCommand { command }: RconCommand,
) -> Result<Change<RecordedCommand>> {
    let address = server.address()?;
    check_reachable(settings, &server, address)?;
    let password = password::open(edit, server.id, &server.rcon_password).await?;
    let audited = AuditedCommand {
        command: masked_command::mask(command.as_str()),
    };
    let change = Change::of_action("rcon", &server, &audited, ());
    Ok(change.map(|()| RecordedCommand {
        address,
        password,
        command,
    }))
}

/// Checks the same conditions as live queries.
fn check_reachable(settings: &live::Settings, server: &Server, address: SocketAddr) -> Result<()> {
    let (code, message) = if !settings.enabled {
        (
            ErrorCode::ServerQueryOff,
            "Contacting game servers is disabled on this instance.",
        )
    } else if !server.enabled {
        (
            ErrorCode::ServerDisabled,
            "The server is disabled. Enable it first.",
        )
    } else if !settings.networks.allow(address.ip()) {
        (
            ErrorCode::ServerForbidden,
            "The server's address is not one that this instance may contact; see the option \
             --server-networks.",
        )
    } else {
        return Ok(());
    };
    Err(Error::Rejected { code, message })
}

/// Sends the command and waits for the answer.
pub async fn send(recorded: RecordedCommand) -> Outcome<Answer> {
    let RecordedCommand {
        address,
        password,
        command,
    } = recorded;
    match rcon::run(address, password.reveal(), command.as_str(), LIMITS).await {
        Ok(answer) => Outcome::Done(Answer {
            text: String::from_utf8_lossy(&answer.text).into_owned(),
            truncated: answer.truncated,
        }),
        Err(Failed { error, sent: false }) => Outcome::NotDone(game_server_error(&error, false)),
        Err(Failed { error, sent: true }) => Outcome::Unknown(game_server_error(&error, true)),
    }
}

fn game_server_error(error: &rcon::Error, sent: bool) -> Error {
    let (code, message) = match (error, sent) {
        (rcon::Error::WrongPassword, _) => {
            return Error::Rejected {
                code: ErrorCode::RconWrongPassword,
                message: "The game server refused the RCON password.",
            };
        }
        (rcon::Error::NoConnection(_), _) => (
            ErrorCode::RconNoConnection,
            "The game server does not accept RCON connections on its port.",
        ),
        (rcon::Error::Closed, false) => (
            ErrorCode::RconClosed,
            "The game server closed the connection. It may have banned this address after wrong \
             passwords.",
        ),
        (rcon::Error::Closed, true) => (
            ErrorCode::RconClosed,
            "The game server closed the connection without an answer. The command may or may not \
             have been executed.",
        ),
        (rcon::Error::TimedOut, false) => (
            ErrorCode::RconTimeout,
            "The game server did not answer in time. The command was not sent.",
        ),
        (rcon::Error::TimedOut, true) => (
            ErrorCode::RconTimeout,
            "The game server did not answer in time. The command may or may not have been \
             executed.",
        ),
        (rcon::Error::NotRcon(_), _) => (
            ErrorCode::RconProtocol,
            "The program at this port does not speak RCON.",
        ),
    };
    Error::GameServer { code, message }
}
