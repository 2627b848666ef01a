//! Request bodies and query parameters of servers, and the rules of their fields.

use std::net::IpAddr;

use serde::Serialize;

use kernel::input::{
    CharacterSet, Characters, Fault, Int, LengthUnit, Line, Nullable, Patch, Place, Raw, Rule,
    TextFormat, text, text_that,
};
use kernel::secret::Secret;
use kernel::{inline_schema, input};

const MAX_GAME: usize = 50;
const MAX_PASSWORD: usize = 255;
const MAX_COMMAND: usize = 1000;

type Port = Int<1, 65535>;

input! {
    /// A server to create.
    pub struct NewServer {
        name: Line<1, 255>,
        /// An IPv4 or IPv6 address.
        ip: Address,
        port: Port,
        /// Whether the server is enabled. The default is true.
        enabled: Option<bool>,
        /// The game, such as `cs2` or `csgo`.
        game: Game,
        /// 1 to 255 bytes, no control characters. It is stored encrypted and never shown.
        rcon_password: RconPassword,
        /// The port for live queries. The default is `port`.
        query_port: Option<Port>,
    }
}

input! {
    /// Changes to a server. Absent fields keep their value.
    pub struct ServerChanges {
        name: Patch<Line<1, 255>>,
        /// An IPv4 or IPv6 address.
        ip: Patch<Address>,
        port: Patch<Port>,
        enabled: Patch<bool>,
        /// The game, such as `cs2` or `csgo`.
        game: Patch<Game>,
        /// 1 to 255 bytes, no control characters. It is stored encrypted and never shown. A change
        /// of `ip` or `port` without it removes the stored password.
        rcon_password: Patch<RconPassword>,
        /// The port for live queries; `null` to use `port`.
        query_port: Patch<Nullable<Port>>,
    }
}

input! {
    /// Optional fields of a server to show.
    pub struct ServerQuery {
        /// `query_port` to show that field as well.
        include: Option<Include>,
    }
}

input! {
    /// A command for a game server's console.
    pub struct RconCommand {
        command: CommandLine,
    }
}

/// An IPv4 or IPv6 address, spelled as the client sent it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Address(String);

impl Address {
    pub fn from_stored(address: String) -> Self {
        Self(address)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Rule for Address {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_address = |text: &str| text.parse::<IpAddr>().is_ok();
        text_that(
            raw,
            place,
            is_address,
            Fault::wrong_format(TextFormat::IpAddress),
        )
        .map(Self)
    }
}

inline_schema!(Address, { "type": "string", "format": "ip" });

/// The id of a game, such as `cs2`. Unknown games are allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Game(String);

impl Game {
    pub fn from_stored(game: String) -> Self {
        Self(game)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Rule for Game {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_game = |text: &str| {
            let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
            (1..=MAX_GAME).contains(&text.len()) && text.bytes().all(allowed)
        };
        let fault = Fault::wrong_characters(CharacterSet::Identifier, 1, MAX_GAME);
        text_that(raw, place, is_game, fault).map(Self)
    }
}

inline_schema!(Game, {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_GAME,
    "pattern": "^[A-Za-z0-9_.-]+$",
});

/// The RCON password in plain text, before it is encrypted.
#[derive(Clone, Debug)]
pub struct RconPassword(Secret<String>);

impl RconPassword {
    pub fn reveal(&self) -> &str {
        self.0.reveal()
    }
}

impl Rule for RconPassword {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let text = text(raw, place)?;
        place.check_length(text.len(), 1..=MAX_PASSWORD, LengthUnit::Bytes)?;
        // To a program that is not a game server, a line break could start a new command.
        if text.contains(char::is_control) {
            place.add(Fault::ForbiddenCharacters {
                forbidden: Characters::Control,
            });
            return None;
        }
        Some(Self(Secret::new(text.into_owned())))
    }
}

inline_schema!(RconPassword, {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_PASSWORD,
    "pattern": r"^[^\x00-\x1f\x7f]+$",
    "writeOnly": true,
});

/// The value of `include`. `query_port` is the only one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Include;

impl Rule for Include {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_known = |text: &str| text == "query_port";
        text_that(raw, place, is_known, Fault::not_one_of(&["query_port"])).map(|_| Self)
    }
}

inline_schema!(Include, { "type": "string", "enum": ["query_port"] });

/// One line for a server's console.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CommandLine(String);

impl CommandLine {
    /// A command that was made from a template, which is one line.
    pub fn rendered(command: String) -> Self {
        Self(command)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Rule for CommandLine {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        let is_line = |text: &str| {
            let length = text.chars().count();
            (1..=MAX_COMMAND).contains(&length) && !text.contains(char::is_control)
        };
        let fault = Fault::wrong_characters(CharacterSet::Printable, 1, MAX_COMMAND);
        text_that(raw, place, is_line, fault).map(Self)
    }
}

inline_schema!(CommandLine, {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_COMMAND,
    "pattern": "^[^\\x00-\\x1f\\x7f]+$",
});
