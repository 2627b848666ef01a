//! Console commands with placeholders.
//!
//! A value can never add an argument or a command: all of them are numbers or made of numbers,
//! except the user's name, which is reduced to harmless characters.

use std::fmt::Write;

use kernel::input::{CharacterSet, Fault, Place, Raw, Rule, text_that};
use kernel::types::SteamId;

/// A placeholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    SteamId64,
    SteamId2,
    SteamId3,
    AccountId,
    DiscordId,
    UserId,
    Username,
    GrantId,
    InvoiceId,
    ServerId,
    Seconds,
    Days,
    ExpiresUnix,
    BanId,
}

impl Placeholder {
    /// The placeholders of the commands of products.
    pub const OF_GRANTS: &'static [Self] = &[
        Self::SteamId64,
        Self::SteamId2,
        Self::SteamId3,
        Self::AccountId,
        Self::DiscordId,
        Self::UserId,
        Self::Username,
        Self::GrantId,
        Self::InvoiceId,
        Self::ServerId,
        Self::Seconds,
        Self::Days,
        Self::ExpiresUnix,
    ];

    /// The placeholders of the commands for banned players: without names, which could be hostile, and without
    /// what a ban does not have.
    pub const OF_BANS: &'static [Self] = &[
        Self::SteamId64,
        Self::SteamId2,
        Self::SteamId3,
        Self::AccountId,
        Self::UserId,
        Self::ServerId,
        Self::Seconds,
        Self::Days,
        Self::ExpiresUnix,
        Self::BanId,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::SteamId64 => "steam_id64",
            Self::SteamId2 => "steam_id2",
            Self::SteamId3 => "steam_id3",
            Self::AccountId => "account_id",
            Self::DiscordId => "discord_id",
            Self::UserId => "user_id",
            Self::Username => "username",
            Self::GrantId => "grant_id",
            Self::InvoiceId => "invoice_id",
            Self::ServerId => "server_id",
            Self::Seconds => "seconds",
            Self::Days => "days",
            Self::ExpiresUnix => "expires_unix",
            Self::BanId => "ban_id",
        }
    }

    pub fn profile(self) -> Option<Profile> {
        match self {
            Self::SteamId64 | Self::SteamId2 | Self::SteamId3 | Self::AccountId => {
                Some(Profile::Steam)
            }
            Self::DiscordId => Some(Profile::Discord),
            _ => None,
        }
    }

    /// Consoles split words at colons, except inside double quotes.
    fn has_colons(self) -> bool {
        matches!(self, Self::SteamId2 | Self::SteamId3)
    }
}

/// A profile that a user must have linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    Steam,
    Discord,
}

impl Profile {
    /// The name of the social network.
    pub fn network(self) -> &'static str {
        match self {
            Self::Steam => "steam",
            Self::Discord => "discord",
        }
    }
}

/// The values of all placeholders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    pub steam_id: Option<SteamId>,
    pub discord_id: Option<u64>,
    pub user_id: i64,
    /// As the user has it; it is reduced when it is rendered.
    pub username: String,
    pub grant_id: i64,
    /// 0 without an invoice.
    pub invoice_id: i64,
    pub server_id: i64,
    pub seconds: i64,
    /// In Unix seconds; 0 is no end.
    pub expires_unix: i64,
    /// 0 for products.
    pub ban_id: i64,
}

/// The longest template, in characters.
const MAX_LENGTH: usize = 500;
/// The longest user name in a command, in characters.
const MAX_NAME: usize = 32;
const SECONDS_A_DAY: i64 = 86_400;

/// A command with placeholders: one line of 1 to 500 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandTemplate {
    text: String,
    parts: Vec<Part>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Text(String),
    Value(Placeholder),
}

impl CommandTemplate {
    /// Parses a template of one line for a product.
    pub fn parse(text: &str) -> Result<Self, Fault> {
        Self::parse_with(text, Placeholder::OF_GRANTS)
    }

    /// Parses a template of one line that may have these placeholders.
    pub fn parse_with(text: &str, allowed: &'static [Placeholder]) -> Result<Self, Fault> {
        let mut parts = Vec::new();
        let mut plain = String::new();
        let mut is_quoted = false;
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix("{{") {
                plain.push('{');
                rest = after;
            } else if let Some(after) = rest.strip_prefix("}}") {
                plain.push('}');
                rest = after;
            } else if c == '{' {
                let (name, after) = rest[1..].split_once('}').ok_or(Fault::LoneBrace {})?;
                let placeholder = placeholder(name, allowed)?;
                // A quote that is never closed may be refused, or end at the end of the line.
                let is_inside = is_quoted && after.contains('"');
                if placeholder.has_colons() && !is_inside {
                    let placeholder = placeholder.name();
                    return Err(Fault::UnquotedPlaceholder { placeholder });
                }
                parts.push(Part::Text(std::mem::take(&mut plain)));
                parts.push(Part::Value(placeholder));
                rest = after;
            } else if c == '}' {
                return Err(Fault::LoneBrace {});
            } else {
                is_quoted ^= c == '"';
                plain.push(c);
                rest = &rest[c.len_utf8()..];
            }
        }
        parts.push(Part::Text(plain));
        parts.retain(|part| *part != Part::Text(String::new()));
        let text = text.to_owned();
        Ok(Self { text, parts })
    }

    /// The template as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The profiles that the user must have linked.
    pub fn profiles(&self) -> impl Iterator<Item = Profile> {
        self.parts.iter().filter_map(|part| match part {
            Part::Text(_) => None,
            Part::Value(placeholder) => placeholder.profile(),
        })
    }

    /// The command with these values, or the profile that is missing.
    pub fn render(&self, values: &Values) -> Result<String, Profile> {
        let mut command = String::new();
        for part in &self.parts {
            match part {
                Part::Text(text) => command.push_str(text),
                Part::Value(placeholder) => push(&mut command, *placeholder, values)?,
            }
        }
        Ok(command)
    }
}

fn placeholder(name: &str, allowed: &'static [Placeholder]) -> Result<Placeholder, Fault> {
    let mut known = allowed.iter().copied();
    let found = known.find(|placeholder| placeholder.name() == name);
    found.ok_or_else(|| {
        let names: Vec<&str> = allowed.iter().map(|known| known.name()).collect();
        let placeholders = names.into();
        Fault::UnknownPlaceholder { placeholders }
    })
}

fn push(command: &mut String, placeholder: Placeholder, values: &Values) -> Result<(), Profile> {
    let steam_id = || values.steam_id.ok_or(Profile::Steam);
    let number: i128 = match placeholder {
        Placeholder::SteamId2 => {
            command.push_str(&steam_id()?.id2());
            return Ok(());
        }
        Placeholder::SteamId3 => {
            command.push_str(&steam_id()?.id3());
            return Ok(());
        }
        Placeholder::Username => {
            push_name(command, &values.username);
            return Ok(());
        }
        Placeholder::SteamId64 => steam_id()?.id64().into(),
        Placeholder::AccountId => steam_id()?.account().into(),
        Placeholder::DiscordId => values.discord_id.ok_or(Profile::Discord)?.into(),
        Placeholder::UserId => values.user_id.into(),
        Placeholder::GrantId => values.grant_id.into(),
        Placeholder::InvoiceId => values.invoice_id.into(),
        Placeholder::ServerId => values.server_id.into(),
        Placeholder::Seconds => values.seconds.into(),
        Placeholder::Days => (values.seconds / SECONDS_A_DAY).into(),
        Placeholder::ExpiresUnix => values.expires_unix.into(),
        Placeholder::BanId => values.ban_id.into(),
    };
    write!(command, "{number}").expect("text can be written to a string");
    Ok(())
}

/// Adds a name of which no character can end a word or begin a command.
fn push_name(command: &mut String, name: &str) {
    if name.is_empty() {
        command.push('_');
    }
    let harmless = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
    let reduced = name.chars().map(|c| if harmless(c) { c } else { '_' });
    command.extend(reduced.take(MAX_NAME));
}

impl Rule for CommandTemplate {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        read_template(raw, place, MAX_LENGTH, Placeholder::OF_GRANTS)
    }
}

/// Reads a template of up to `max` characters.
fn read_template(
    raw: Raw<'_>,
    place: &mut Place<'_>,
    max: usize,
    allowed: &'static [Placeholder],
) -> Option<CommandTemplate> {
    let is_line = |text: &str| {
        let is_blank = text.trim().is_empty();
        let length = text.chars().count();
        !is_blank && length <= max && !text.contains(char::is_control)
    };
    let fault = Fault::wrong_characters(CharacterSet::Printable, 1, max);
    let text = text_that(raw, place, is_line, fault)?;
    let template = CommandTemplate::parse_with(&text, allowed);
    template.map_err(|fault| place.add(fault)).ok()
}

/// A command for a banned player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BanCommandTemplate(pub CommandTemplate);

impl BanCommandTemplate {
    /// The longest template, in characters.
    const MAX_LENGTH: usize = 200;

    pub fn parse(text: &str) -> Result<Self, Fault> {
        CommandTemplate::parse_with(text, Placeholder::OF_BANS).map(Self)
    }
}

impl Rule for BanCommandTemplate {
    fn read(raw: Raw<'_>, place: &mut Place<'_>) -> Option<Self> {
        read_template(raw, place, Self::MAX_LENGTH, Placeholder::OF_BANS).map(Self)
    }
}

kernel::inline_schema!(BanCommandTemplate, {
    "type": "string",
    "minLength": 1,
    "maxLength": BanCommandTemplate::MAX_LENGTH,
    "pattern": "^[^\\x00-\\x1f\\x7f]+$",
});

kernel::inline_schema!(CommandTemplate, {
    "type": "string",
    "minLength": 1,
    "maxLength": MAX_LENGTH,
    "pattern": "^[^\\x00-\\x1f\\x7f]+$",
});

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn values() -> Values {
        Values {
            steam_id: SteamId::parse("[U:1:8983981]"),
            discord_id: Some(80_351_110_224_678_912),
            user_id: 7,
            username: "Gordon Freeman".to_owned(),
            grant_id: 8,
            invoice_id: 0,
            server_id: 3,
            seconds: 2_591_999,
            expires_unix: 1_775_000_000,
            ban_id: 9,
        }
    }

    fn render(template: &str) -> String {
        let template = CommandTemplate::parse(template).expect(template);
        template.render(&values()).expect("all profiles are linked")
    }

    #[test]
    fn every_placeholder_is_replaced() {
        for (template, command) in [
            ("{steam_id64}", "76561197969249709"),
            ("\"{steam_id2}\"", "\"STEAM_1:1:4491990\""),
            ("\"{steam_id3}\"", "\"[U:1:8983981]\""),
            ("{account_id}", "8983981"),
            ("{discord_id}", "80351110224678912"),
            ("{user_id} {username}", "7 Gordon_Freeman"),
            ("{grant_id}.{invoice_id}.{server_id}", "8.0.3"),
            ("{seconds} {days} {expires_unix}", "2591999 29 1775000000"),
            ("say {{{user_id}}}", "say {7}"),
            ("say {{user_id}}", "say {user_id}"),
            ("say ü", "say ü"),
        ] {
            assert_eq!(render(template), command, "{template}");
        }
    }

    #[test]
    fn other_placeholders_and_lone_braces_are_faults() {
        let code = |template| match CommandTemplate::parse(template) {
            Err(fault) => fault,
            Ok(parsed) => panic!("{template} is read as {parsed:?}"),
        };
        for template in ["{name}", "{}", "{ user_id}", "{Username}", "{user_id }"] {
            let fault = code(template);
            let is_unknown = matches!(fault, Fault::UnknownPlaceholder { .. });
            assert!(is_unknown, "{template}: {fault}");
        }
        for template in ["{", "}", "{user_id", "user_id}", "{{}", "{user_id}}", "{{{"] {
            assert_eq!(code(template), Fault::LoneBrace {}, "{template}");
        }
    }

    #[test]
    fn commands_for_bans_have_no_names_and_nothing_of_products() {
        let parsed = BanCommandTemplate::parse("kick {steam_id64} {ban_id}").expect("a template");
        let command = parsed.0.render(&values());
        assert_eq!(command.as_deref(), Ok("kick 76561197969249709 9"));
        for name in ["username", "discord_id", "grant_id", "invoice_id"] {
            let fault = BanCommandTemplate::parse(&format!("kick {{{name}}}"));
            assert!(
                matches!(fault, Err(Fault::UnknownPlaceholder { .. })),
                "{name}"
            );
        }
        assert!(CommandTemplate::parse("{ban_id}").is_err());
    }

    #[test]
    fn ids_with_colons_must_be_inside_double_quotes() {
        for name in ["steam_id2", "steam_id3"] {
            for template in [
                format!("ban {{{name}}}"),
                format!("say \"hello\" {{{name}}}"),
                format!("ban '{{{name}}}'"),
                format!("ban \"{{{name}}}"),
            ] {
                let fault = Fault::UnquotedPlaceholder { placeholder: name };
                assert_eq!(CommandTemplate::parse(&template), Err(fault), "{template}");
            }
            let quoted = format!("say \"hello\" \"id {{{name}}} of {{username}}\" x");
            assert!(CommandTemplate::parse(&quoted).is_ok(), "{quoted}");
        }
    }

    #[test]
    fn a_missing_profile_is_named() {
        let none = Values::default();
        for (template, missing) in [
            ("{user_id}", None),
            ("{steam_id64}", Some(Profile::Steam)),
            ("{account_id}", Some(Profile::Steam)),
            ("{discord_id}", Some(Profile::Discord)),
        ] {
            let parsed = CommandTemplate::parse(template).expect(template);
            assert_eq!(parsed.render(&none).err(), missing, "{template}");
            assert_eq!(parsed.profiles().next(), missing, "{template}");
        }
    }

    /// The words of a command as consoles of Source games split it.
    fn words(command: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut is_quoted = false;
        for c in command.chars() {
            match c {
                '"' => {
                    is_quoted = !is_quoted;
                    words.push(String::new());
                }
                _ if is_quoted => words.last_mut().expect("one word").push(c),
                c if c.is_whitespace() || c.is_control() => words.push(String::new()),
                '{' | '}' | '(' | ')' | '\'' | ':' | ',' | ';' | '\\' | '/' => {
                    words.push(c.to_string());
                    words.push(String::new());
                }
                c => words.last_mut().expect("one word").push(c),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]

        #[test]
        fn no_name_adds_a_word(
            name in prop_oneof![".{0,60}", "[\"';:{}(),\\\\\n\r\t \0a]{1,40}", "[\\x00-\\x7f]{1,40}"],
        ) {
            for template in [
                "sm_addvip {username} {days}",
                "say \"welcome {username}\"; kick {username}",
                "give {user_id}{username}{grant_id} x",
            ] {
                let template = CommandTemplate::parse(template).expect(template);
                let with = |name: &str| {
                    let username = name.to_owned();
                    let command = template.render(&Values { username, ..values() });
                    words(&command.expect("all profiles are linked")).len()
                };
                prop_assert_eq!(with(&name), with("a"));
            }
        }

        #[test]
        fn any_text_is_parsed_or_refused_and_renders_one_line(text in "[ -~]{0,80}") {
            if let Ok(template) = CommandTemplate::parse(&text) {
                let command = template.render(&values()).expect("all profiles are linked");
                prop_assert!(!command.contains(char::is_control));
            }
        }
    }
}
