//! Commands for the console of a game server.

use std::net::SocketAddr;
use std::time::Duration;

use rcon::Failed;
use serde::Serialize;

use super::{SEAL_CONTEXT, Server};
use crate::servers::live;
use kernel::input::{Place, Raw, Rule, text_that};
use kernel::secret::Secret;
use kernel::write::{Change, Edit, Outcome, Target};
use kernel::{Error, Result, inline_schema, input};

const LIMITS: rcon::Limits = rcon::Limits {
    time: Duration::from_secs(5),
    answer: 64 << 10,
};

input! {
    /// A command for a game server's console.
    pub struct NewCommand {
        command: CommandLine,
    }
}

/// One line for a console.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CommandLine(String);

impl Rule for CommandLine {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let fits = |text: &str| {
            let length = text.chars().count();
            (1..=1000).contains(&length) && !text.contains(char::is_control)
        };
        let sentence = "must be 1 to 1000 characters, none of them control characters";
        text_that(raw, place, fits, sentence).map(Self)
    }
}

inline_schema!(CommandLine, {
    "type": "string",
    "minLength": 1,
    "maxLength": 1000,
    "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f]+$",
});

/// A command that was noted, and everything it takes to send it.
pub struct Planned {
    address: SocketAddr,
    password: Secret<Vec<u8>>,
    command: CommandLine,
}

/// What the server said.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    pub text: String,
    /// Whether it said more than is kept.
    pub truncated: bool,
}

/// What the audit log shows of it.
#[derive(Serialize)]
struct Noted<'a> {
    command: &'a CommandLine,
}

/// Notes who sends which command to whom.
pub async fn note(
    edit: &mut Edit,
    settings: &live::Settings,
    server: Target<Server>,
    NewCommand { command }: NewCommand,
) -> Result<Change<Planned>> {
    let address = server.address()?;
    may_reach(settings, &server, address)?;
    let password = edit
        .open(SEAL_CONTEXT, server.rcon_password.reveal())
        .await?;
    let noted = Noted { command: &command };
    let change = Change::of_action("rcon", &server, &noted, ());
    Ok(change.map(|()| Planned {
        address,
        password: Secret::new(password),
        command,
    }))
}

/// Whoever may not be asked for figures is sent no commands either.
fn may_reach(settings: &live::Settings, server: &Server, address: SocketAddr) -> Result<()> {
    let (code, message) = if !settings.enabled {
        ("server_query_off", "Game servers are left alone here.")
    } else if !server.enabled {
        ("server_disabled", "The server is disabled.")
    } else if !settings.allow(address.ip()) {
        (
            "server_forbidden",
            "The server's address is outside of the networks that may be reached.",
        )
    } else {
        return Ok(());
    };
    Err(Error::Rejected { code, message })
}

/// Sends the command and waits for the answer.
pub async fn send(planned: Planned) -> Outcome<Answer> {
    let Planned {
        address,
        password,
        command,
    } = planned;
    match rcon::run(address, password.reveal(), &command.0, LIMITS).await {
        Ok(answer) => Outcome::Done(Answer {
            text: String::from_utf8_lossy(&answer.text).into_owned(),
            truncated: answer.truncated,
        }),
        Err(Failed { error, sent: false }) => Outcome::NotDone(told(&error, false)),
        Err(Failed { error, sent: true }) => Outcome::Unknown(told(&error, true)),
    }
}

fn told(error: &rcon::Error, sent: bool) -> Error {
    let (code, message) = match (error, sent) {
        (rcon::Error::WrongPassword, _) => {
            return Error::Rejected {
                code: "rcon_wrong_password",
                message: "The game server refused the RCON password.",
            };
        }
        (rcon::Error::NoConnection(_), _) => (
            "rcon_no_connection",
            "The game server takes no RCON connections at its port.",
        ),
        (rcon::Error::Closed, false) => (
            "rcon_closed",
            "The game server closed the connection. It may have banned this address after wrong \
             passwords.",
        ),
        (rcon::Error::Closed, true) => (
            "rcon_closed",
            "The game server closed the connection instead of answering. The command may or may \
             not have been carried out.",
        ),
        (rcon::Error::TimedOut, false) => (
            "rcon_timeout",
            "The game server did not answer in time. The command was not sent.",
        ),
        (rcon::Error::TimedOut, true) => (
            "rcon_timeout",
            "The game server did not answer in time. The command may or may not have been carried \
             out.",
        ),
        (rcon::Error::NotRcon(_), _) => (
            "rcon_protocol",
            "What answers at this port does not speak RCON.",
        ),
    };
    Error::GameServer { code, message }
}
